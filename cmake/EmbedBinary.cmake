# Writes a C++ source that holds a file as the array NAME, a zero byte behind it, and its size as
# NAME_size: cmake -DBINARY= -DARRAY= -DNAME= -P this.
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
${bytes}0x00};
extern const unsigned long ${symbol}_size;
const unsigned long ${symbol}_size = sizeof(${symbol}) - 1;
}  // namespace ${namespace}
")
