"""Searches in worker processes: `search_workers` shares them out, `worker` is one process as seen from here, `process` what
runs in it.

The pool is our own, since none was found to fit. That of `concurrent.futures` breaks when one process dies. `loky` and `pebble`
replace processes, but lose or fail whatever was in them, pass work through queues with locks that a killed process can leave
locked, and start processes that import the user's main module again, which scripts without a guard do not survive. Here each
process is a plain interpreter with a pipe of its own, which starts no thread and shares no lock. So what a dead process owes is
known exactly, and when this process ends, however it does, its workers read the end of their input and end, too.
"""
