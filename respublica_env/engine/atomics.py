"""What threads need to tell each other something: reads and writes in order, and a call by address.

`array` is an int64 array; all operations are sequentially consistent. Nothing here is used without compilation.
"""

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from respublica_env.engine._jit import COMPILED

_WORD = ir.IntType(64)
# LLVM's names of the instruction by which a thread says that it only waits, and their arguments.
_ON_X86: tuple[str, list[int]] = ("llvm.x86.sse2.pause", [])
_ON_ARM: tuple[str, list[int]] = ("llvm.aarch64.hint", [1])
_PAUSES = {"x86_64": _ON_X86, "amd64": _ON_X86, "aarch64": _ON_ARM, "arm64": _ON_ARM}


def _entry(context, builder, signature, args):
    """The address of `array[at]`."""
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    return builder.gep(data, [args[1]])


if COMPILED:

    @intrinsic
    def load(typingctx, array, at):
        """`array[at]`."""

        def codegen(context, builder, signature, args):
            return builder.load_atomic(_entry(context, builder, signature, args), "seq_cst", 8)

        return types.int64(array, types.int64), codegen

    @intrinsic
    def store(typingctx, array, at, value):
        """`array[at] = value`."""

        def codegen(context, builder, signature, args):
            builder.store_atomic(args[2], _entry(context, builder, signature, args), "seq_cst", 8)
            return context.get_dummy_value()

        return types.void(array, types.int64, types.int64), codegen

    @intrinsic
    def exchange(typingctx, array, at, expected, value):
        """Set `array[at]` to `value` if it is `expected`; whether it was."""

        def codegen(context, builder, signature, args):
            place = _entry(context, builder, signature, args)
            found = builder.cmpxchg(place, args[2], args[3], "seq_cst", "seq_cst")
            return builder.extract_value(found, 1)

        return types.boolean(array, types.int64, types.int64, types.int64), codegen

    @intrinsic
    def add(typingctx, array, at, number):
        """Add to `array[at]`; what it was before."""

        def codegen(context, builder, signature, args):
            return builder.atomic_rmw("add", _entry(context, builder, signature, args), args[2], "seq_cst")

        return types.int64(array, types.int64, types.int64), codegen

    @intrinsic
    def pause(typingctx):
        """Tell the processor that this thread only waits."""

        def codegen(context, builder, signature, args):
            name, numbers = _PAUSES.get(platform.machine().lower(), (None, []))
            if name is not None:
                kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)] * len(numbers))
                instruction = cgutils.get_or_insert_function(builder.module, kind, name)
                builder.call(instruction, [ir.IntType(32)(number) for number in numbers])
            return context.get_dummy_value()

        return types.void(), codegen

    @intrinsic
    def call_task(typingctx, task, desk, number, chunk, first, end):
        """Call the compiled task at an address; see `Task` in `_jit`."""

        def codegen(context, builder, signature, args):
            kind = ir.FunctionType(ir.VoidType(), [_WORD.as_pointer(), _WORD, _WORD, _WORD, _WORD])
            builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
            return context.get_dummy_value()

        number = types.int64
        return types.void(number, types.CPointer(number), number, number, number, number), codegen

    @intrinsic
    def data_of(typingctx, array):
        """The address of an array's first entry, as a number."""

        def codegen(context, builder, signature, args):
            return builder.ptrtoint(context.make_array(signature.args[0])(context, builder, args[0]).data, _WORD)

        assert array.layout == "C", array
        return types.int64(array), codegen

    def _array_at(desk, at, dtype, dimensions):
        """Type and code of an array whose address, length and length of rows are in `desk[at : at + 3]`."""
        made = types.Array(dtype.dtype, dimensions, "C")

        def codegen(context, builder, signature, args):
            address, length, width = (
                builder.load(builder.gep(args[0], [builder.add(args[1], _WORD(i))])) for i in range(3)
            )
            array = context.make_array(made)(context, builder)
            size = _WORD(context.get_abi_sizeof(context.get_data_type(made.dtype)))
            populate_array(
                array,
                data=builder.inttoptr(address, array.data.type),
                shape=[length, width][:dimensions],
                strides=[builder.mul(size, width), size][-dimensions:],
                itemsize=size,
                meminfo=None,
            )
            return array._getvalue()

        return made(desk, types.int64, dtype), codegen

    @intrinsic
    def vector_at(typingctx, desk, at, dtype):
        """The array that `put_array` put on the desk, which has one dimension."""
        return _array_at(desk, at, dtype, 1)

    @intrinsic
    def matrix_at(typingctx, desk, at, dtype):
        """The array that `put_array` put on the desk, which has two dimensions."""
        return _array_at(desk, at, dtype, 2)

else:
    load = store = exchange = add = pause = call_task = data_of = vector_at = matrix_at = None
