"""A device in Python, by ctypes: report.py LIBRARY PLAN LEDGER NAME. Makes the campaign's report and sends nothing."""
import ctypes
import sys


class Limits(ctypes.Structure):
    _fields_ = [("report", ctypes.c_double), ("lifetime", ctypes.c_double), ("reports", ctypes.c_uint64),
                ("level_disclosed", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class Features(ctypes.Structure):
    _fields_ = [("form", ctypes.c_int32), ("reserved", ctypes.c_int32), ("columns", ctypes.POINTER(ctypes.c_uint32)),
                ("values", ctypes.POINTER(ctypes.c_float)), ("count", ctypes.c_size_t)]


PPGNN_ONES = 2


def main(library, plan_file, ledger, name):
    ppgnn = ctypes.CDLL(library)
    ppgnn.ppgnn_error.restype = ctypes.c_char_p
    client = ctypes.c_void_p()

    def must(code):
        if code != 0:
            sys.exit(ppgnn.ppgnn_error(client).decode())

    with open(plan_file, "rb") as file:
        plan = file.read()
    sentence = ctypes.create_string_buffer(256)
    if ppgnn.ppgnn_open(plan, ctypes.c_size_t(len(plan)), ctypes.byref(client), sentence, ctypes.c_size_t(256)) != 0:
        sys.exit(sentence.value.decode())
    must(ppgnn.ppgnn_agree(client, ctypes.byref(Limits(2.5, 10, 2**64 - 1, 0, 0))))
    must(ppgnn.ppgnn_set_person(client, name.encode(), ctypes.c_size_t(len(name.encode()))))
    must(ppgnn.ppgnn_use_ledger_file(client, ledger.encode()))
    columns = (ctypes.c_uint32 * 3)(0, 2, 3)  # the person's own: never in a log
    size = ctypes.c_size_t()
    must(ppgnn.ppgnn_report_size(client, ctypes.byref(size)))
    report = (ctypes.c_uint8 * size.value)()
    fresh = ctypes.c_int32()
    must(ppgnn.ppgnn_report(client, ctypes.c_uint32(1), ctypes.byref(Features(PPGNN_ONES, 0, columns, None, 3)),
                            ctypes.c_uint64(0), report, ctypes.c_size_t(size.value), ctypes.byref(size),
                            ctypes.byref(fresh)))
    ppgnn.ppgnn_close(client)
    print("a new report" if fresh.value else "the report there is", "of", size.value, "bytes, to be sent")


if __name__ == "__main__":
    main(*sys.argv[1:])
