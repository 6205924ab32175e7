"""The process that runs the embedded model: llama.cpp's own OpenAI-compatible server, on the loopback address.

It runs in a separate process because loading holds Python's global interpreter lock for seconds, because llama.cpp aborts its
process on serious errors, and because ending a process reliably frees its memory.

This file is run as a script, so that it imports only the standard library and xllamacpp. It reads one line of JSON (the
options, including the key, which thus never appears in a process list), writes one line of JSON (`address`, `error`, or
`num_bytes_elsewhere` if the memory is too small), serves, and exits when its standard input is closed: at the latest when
the process that started it is gone, for whatever reason.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

_QUIET = -1
_TALKATIVE = 3


def main() -> None:
    """Serves until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    # llama.cpp may write to standard output, so it is redirected to standard error; our own line goes to the original one.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    options = json.loads(sys.stdin.readline())
    answer: dict[str, Any]
    try:
        num_bytes_missing = options.get("num_bytes_elsewhere", 0) and _num_bytes_missing(options["num_bytes_elsewhere"])
        server = None if num_bytes_missing else _started(options)
    except (RuntimeError, ImportError, AttributeError, TypeError, ValueError) as error:
        answer = {"error": f"{error}" or type(error).__name__}
    else:
        answer = {"num_bytes_elsewhere": num_bytes_missing} if server is None else {"address": server.listening_address}
    try:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if "address" in answer:
            sys.stdin.read()
    finally:  # also if the process that started this one is gone before the model is loaded, so that nobody reads
        os._exit(0)  # skip llama.cpp's cleanup, which may block indefinitely: the system reclaims everything at once


def _num_bytes_missing(num_bytes: int) -> int:
    """How many of the bytes that do not fit into the memory do not fit into the GPUs that llama.cpp can use, either."""
    return max(0, num_bytes - sum(int(device["memory_free"]) for device in _gpus()))


def _gpus() -> list[Any]:
    """The GPUs that llama.cpp can use."""
    import xllamacpp

    return [device for device in xllamacpp.get_device_info() if "GPU" in getattr(device["type"], "name", "")]


def _started(options: dict[str, Any]) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = options["path"]
    # Mapped into memory, weights that llama.cpp rearranges for this processor would be there twice.
    params.load_mode = xllamacpp.llama_load_mode.LLAMA_LOAD_MODE_NONE
    params.warmup = False  # the first prompt takes no longer without it
    params.fit_params = bool(_gpus())  # it loads the model once more, without its weights, to see how many layers GPUs can hold
    params.n_ctx = options["context_tokens"]
    params.n_parallel = 1  # more slots defeat the prefix cache and change replies at temperature 0
    params.cpuparams.n_threads = options["num_threads"]
    params.cpuparams_batch.n_threads = options["num_threads"]
    params.cache_ram_mib = options["cache_ram_mib"]
    params.slot_save_path = options.get("states_folder", "")
    params.api_keys = [options["key"]]
    params.port = 0
    params.ui = False
    params.endpoint_slots = False
    params.prefill_assistant = True
    params.verbosity = _TALKATIVE if options["is_talkative"] else _QUIET
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
