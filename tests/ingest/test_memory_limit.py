"""The programs that read PDFs and recognise pictures limit their own memory, in the same way."""

import subprocess
import sys

import pytest

CODE = "from hopweave.ingest.memory_limit import limit_memory; limit_memory(1 << 30); bytearray({} << 20); print('held')"


def said(num_mib: int) -> tuple[str, str]:
    """What a process that holds so much says, and the last line of its errors."""
    done = subprocess.run([sys.executable, "-c", CODE.format(num_mib)], capture_output=True, text=True, check=False)
    return done.stdout.strip(), done.stderr.strip().rpartition("\n")[2]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems may not support it")
def test_a_process_with_a_limit_holds_what_is_below_it_and_no_more():
    assert said(1) == ("held", "")
    assert said(2048) == ("", "MemoryError")
