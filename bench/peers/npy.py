"""Reads and writes .npy files of plain numbers without numpy, for a machine that only has PyTorch."""

import array
import ast
import math
import struct

CODES = {"<f4": "f", "<f8": "d", "<u4": "I", "<i4": "i", "<i8": "q", "<u8": "Q"}


def read_header(file):
    """Type, shape and start of the data of an open .npy file (version 1, row-major)."""
    magic = file.read(8)
    if magic[:6] != b"\x93NUMPY" or magic[6] != 1:
        raise ValueError("not a .npy file of version 1")
    (length,) = struct.unpack("<H", file.read(2))
    header = ast.literal_eval(file.read(length).decode("latin1"))
    if header["fortran_order"]:
        raise ValueError("the array is not row-major")
    return header["descr"], tuple(header["shape"]), 10 + length


def read(path):
    """Bytes (writable), type and shape of an array."""
    with open(path, "rb") as file:
        descr, shape, _ = read_header(file)
        data = bytearray(file.read())
    expected = math.prod(shape) * array.array(CODES[descr]).itemsize
    if len(data) != expected:
        raise ValueError(f"{path} holds {len(data)} bytes of data, not {expected}")
    return data, descr, shape


def write(path, descr, shape, values):
    """Writes numbers as a .npy file of version 1."""
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    length = -(-(10 + len(header) + 1) // 64) * 64 - 10
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", length))
        file.write((header.ljust(length - 1) + "\n").encode("latin1"))
        array.array(CODES[descr], values).tofile(file)
