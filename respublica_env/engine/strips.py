"""Eight or sixteen fields at once: the few writes that the processor does in one instruction.

Numba would handle one field at a time: it cannot know that a row and an observation never overlap, and it leaves
LLVM's search for such groups switched off. Here the group is spelled out (an *intrinsic* hands LLVM the instructions);
without compilation the same functions are plain loops.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from respublica_env.engine._jit import COMPILED, inline_jit

COUNTS = 8  # counts turned into shares at once
IDS = 16  # ids of a mask written at once

_INT_32, _FLOAT = ir.IntType(32), ir.FloatType()


def _pointer(context, builder, array_type, array, index, vector):
    """The address of entry `index` of an array (contiguous) or an address, as one of a vector."""
    if isinstance(array_type, types.Array):
        array = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(array, [index]), vector.as_pointer())


def _splat(builder, value, vector):
    """A vector of equal entries."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, value, _INT_32(0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_INT_32, vector.count), None))


if COMPILED:

    @intrinsic
    def shares_of_strip(typingctx, row, start, whole, out, at):
        """`out[at : at + 8] = row[start : start + 8] / whole`, correctly rounded float32 quotients."""

        def codegen(context, builder, signature, args):
            row, start, whole, out, at = args
            counts = ir.VectorType(ir.IntType(16), COUNTS)
            shares = ir.VectorType(_FLOAT, COUNTS)
            source = _pointer(context, builder, signature.args[0], row, start, counts)
            target = _pointer(context, builder, signature.args[3], out, at, shares)
            numbers = builder.sitofp(builder.load(source, align=2), shares)
            builder.store(builder.fdiv(numbers, _splat(builder, whole, shares)), target, align=4)
            return context.get_dummy_value()

        return types.void(row, types.int64, types.float32, out, types.int64), codegen

    @intrinsic
    def ones_of_strip(typingctx, mask, at, count):
        """`mask[at : at + 16]`: the first `count` (0 to 16) entries 1, the others 0."""

        def codegen(context, builder, signature, args):
            mask, at, count = args
            flags = ir.VectorType(ir.IntType(8), IDS)
            target = _pointer(context, builder, signature.args[0], mask, at, flags)
            most = _splat(builder, builder.trunc(count, ir.IntType(8)), flags)
            places = ir.Constant(flags, list(range(IDS)))
            builder.store(builder.zext(builder.icmp_signed("<", places, most), flags), target, align=1)
            return context.get_dummy_value()

        return types.void(mask, types.int64, types.int64), codegen

    @intrinsic
    def address(typingctx, array, index):
        """Where row `index` of a matrix, or entry `index` of a vector, begins; indexed like an array, unchecked.

        The engine's functions take addresses: an index of an array that might be negative would be looked at before
        each use, which doubled the instructions of a step.
        """

        def codegen(context, builder, signature, args):
            view = context.make_array(signature.args[0])(context, builder, args[0])
            index = args[1]
            if signature.args[0].ndim == 2:
                index = builder.mul(index, builder.extract_value(view.shape, 1))
            return builder.gep(view.data, [index])

        assert array.layout == "C", array
        return types.CPointer(array.dtype)(array, types.int64), codegen

    @intrinsic
    def floats(typingctx, room, start):
        """Where entry `start` of an int64 room begins, its entries read as float64."""

        def codegen(context, builder, signature, args):
            return builder.bitcast(builder.gep(args[0], [args[1]]), ir.DoubleType().as_pointer())

        return types.CPointer(types.float64)(room, types.int64), codegen

    @intrinsic
    def prefetch(typingctx, row, at):
        """Let the processor bring entry `at` of a row near while it does something else."""

        def codegen(context, builder, signature, args):
            byte, bits = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, bits, bits, bits])
            call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            place = builder.bitcast(builder.gep(args[0], [args[1]]), byte)
            builder.call(call, [place, bits(0), bits(3), bits(1)])
            return context.get_dummy_value()

        return types.void(row, types.int64), codegen

    @intrinsic
    def load_float(typingctx, row, at):
        """The float32 number that `store_float` put into two fields of a row."""

        def codegen(context, builder, signature, args):
            row, at = args
            return builder.load(_pointer(context, builder, signature.args[0], row, at, _FLOAT), align=2)

        return types.float32(row, types.int64), codegen

    @intrinsic
    def store_float(typingctx, row, at, number):
        """Put a float32 number into two fields of a row, bit by bit."""

        def codegen(context, builder, signature, args):
            row, at, number = args
            builder.store(number, _pointer(context, builder, signature.args[0], row, at, _FLOAT), align=2)
            return context.get_dummy_value()

        return types.void(row, types.int64, types.float32), codegen

else:

    def shares_of_strip(row, start, whole, out, at):
        out[at : at + COUNTS] = row[start : start + COUNTS].astype(np.float32) / whole

    def ones_of_strip(mask, at, count):
        mask[at : at + IDS] = np.arange(IDS) < count

    def address(array, index):
        return array[index] if array.ndim == 2 else array[index:]

    def floats(room, start):
        return room[start:].view(np.float64)

    def prefetch(row, at):
        pass

    def load_float(row, at):
        return row[at : at + 2].view(np.float32)[0]

    def store_float(row, at, number):
        row[at : at + 2] = np.array([number], np.float32).view(np.int16)


@inline_jit
def write_shares(row, start, size, whole, out, at):
    """Write `size` counts side by side, each as a share of `whole`, in strips; the last may overlap the one before."""
    if size < COUNTS:
        for k in range(size):
            out[at + k] = np.float32(row[start + k]) / whole
        return
    for k in range(0, size - COUNTS, COUNTS):
        shares_of_strip(row, start + k, whole, out, at + k)
    shares_of_strip(row, start + size - COUNTS, whole, out, at + size - COUNTS)


@inline_jit
def write_ones(mask, start, end, size):
    """Set the ids `start..end-1` of a mask of `size`; up to 15 ids behind them become 0: runs come in rising order."""
    while end > start:
        if start + IDS <= size:
            ones_of_strip(mask, start, min(end - start, IDS))
            start += IDS
        else:
            mask[start] = 1
            start += 1
