# Writes a C++ source that holds a file as an array: cmake -DBINARY= -DARRAY= -DNAME= -P this.
file(READ ${BINARY} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "^(.*)::([^:]+)$" "\\1;\\2" parts "${NAME}")
list(GET parts 0 namespace)
list(GET parts 1 symbol)
file(WRITE ${ARRAY} "// Made by cmake/EmbedBinary.cmake.
namespace ${namespace} {
extern const unsigned char ${symbol}[];
alignas(16) const unsigned char ${symbol}[] = {
${bytes}};
}  // namespace ${namespace}
")
