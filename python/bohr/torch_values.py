# SPDX-License-Identifier: Apache-2.0
"""Tensors as values: copies, equality and differences. Bytes are what is compared, so that NaN
equals itself and -0.0 is not 0.0; a tolerance, where one is given, is asked second."""

import torch


def complaint(tensor):
    """Why a tensor cannot be an argument, or None."""
    if tensor.layout != torch.strided or tensor.is_quantized:
        return "is sparse or quantized: only plain tensors can be compared"
    if tensor.device.type != "cuda":
        return f"is on {tensor.device}: a graph reads tensors of the GPU, so move it there"
    return None


def layout(tensor):
    return f"{str(tensor.dtype)[6:]} {tuple(tensor.shape)} on {tensor.device}"


def clone(tensor):
    copied = tensor.detach().clone(memory_format=torch.preserve_format)
    return copied.requires_grad_(tensor.requires_grad)


def copy(target, source):
    with torch.inference_mode():  # which alone may write tensors that were made under it
        target.copy_(source)


def snapshot(tensor):
    if tensor.layout != torch.strided or tensor.is_quantized:
        raise ValueError("an output is sparse or quantized: only plain tensors can be compared")
    plain = tensor.detach().resolve_conj().resolve_neg()
    return plain.clone(memory_format=torch.contiguous_format)


def same(a, b, rtol, atol):
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if torch.equal(_bytes(a), _bytes(b)):
        return True
    if (rtol == 0 and atol == 0) or not _has_fractions(a):
        return False
    return torch.allclose(_wide(a), _wide(b), rtol=rtol, atol=atol, equal_nan=True)


def difference(eager, graph):
    """Which elements differ, as plain values."""
    if eager.dtype != graph.dtype or eager.shape != graph.shape:
        return {"eager": layout(eager), "graph": layout(graph)}
    size = eager.element_size()
    differs = (_bytes(eager).view(-1, size) != _bytes(graph).view(-1, size)).any(dim=1)
    first = int(differs.nonzero()[0])
    found = {
        "elements": int(differs.sum()),
        "of": eager.numel(),
        "first": first,
        "eager": repr(eager.reshape(-1)[first].item()),
        "graph": repr(graph.reshape(-1)[first].item()),
    }
    if _has_fractions(eager):
        apart = (_wide(eager) - _wide(graph)).abs()
        numbers = apart[~apart.isnan()]
        found["largest"] = f"{numbers.max().item():.3g}" if numbers.numel() else "nan"
    return found


def _bytes(tensor):
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8)


def _has_fractions(tensor):
    return tensor.dtype.is_floating_point or tensor.dtype.is_complex


def _wide(tensor):
    """Types of 16 bits and fewer know no arithmetic that would be fine enough, some of them
    none."""
    return tensor.detach().float() if tensor.element_size() < 4 else tensor.detach()
