"""An MCP process as its host sees it: start, many requests at once, cancelling, the ways to end, several at once."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from serving import clean_env
from talking import CONTRACT_FORM, TINY, talking

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and /proc as on POSIX")
IDLE_MB = 120


@posix_only
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_a_cold_start_answers_before_the_sdk_could_be_imported(tmp_path: Path) -> None:
    """The budget is a second on an idle machine; here, the work of both in time of the processor."""
    importing = "import os, mcp.server.lowlevel; print(sum(os.times()[:2]))"
    told = subprocess.run([sys.executable, "-c", importing], check=True, capture_output=True, text=True).stdout
    with talking(tmp_path / "root") as process:
        process.ask("initialize", CONTRACT_FORM)
        assert _cpu_seconds(process.process.pid) < float(told)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_the_quick_path_imports_nothing_heavy() -> None:
    code = "import sys, everlore.surfaces.cli.main, everlore.surfaces.mcp.stdio; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    heavy = {"mcp", "pydantic", "numpy", "onnxruntime", "fastapi", "rich", "asyncio", "everlore.engine"}
    assert heavy.isdisjoint(loaded)


def test_tools_that_save_and_find_bring_no_extraction_along() -> None:
    tools = "everlore.surfaces.contracts.knowledge.toolset, everlore.surfaces.contracts.records.toolset"
    code = f"import sys, {tools}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert {"everlore.extract.facts", "everlore.extract.agent"}.isdisjoint(loaded)


@posix_only
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_an_idle_process_is_small(tmp_path: Path) -> None:
    with talking(tmp_path / "root") as process:
        process.shake()
        process.ask("tools/list")
        assert process.call("write", line="a line")["isError"] is False
        time.sleep(0.5)
        status = Path(f"/proc/{process.process.pid}/status").read_text(encoding="utf-8")
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    assert resident / 1024 < IDLE_MB


def test_many_requests_at_once_and_a_large_one(tmp_path: Path) -> None:
    with talking(tmp_path / "root") as process:
        process.shake()
        word = "x" * 2_000_000
        for number in range(300):
            arguments = {"word": word if number == 7 else f"w{number}"}
            params = {"name": "echo", "arguments": arguments}
            process.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        heard = [process.hear() for _ in range(300)]
        answers = {answer["id"]: answer["result"]["structuredContent"]["word"] for answer in heard}
        assert answers == {number: word if number == 7 else f"w{number}" for number in range(300)}


def test_slow_tools_do_not_hold_up_others_and_can_be_cancelled(tmp_path: Path) -> None:
    with talking(tmp_path / "root") as process:
        process.shake()
        process.call("who")
        slow = {"name": "wait", "arguments": {"seconds": 3}}
        process.say({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": slow})
        process.say({"jsonrpc": "2.0", "id": "quick", "method": "ping"})
        assert process.hear()["id"] == "quick"
        process.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
        process.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "unknown"}})
        assert process.silent(3.5), "a cancelled request is not answered"
        assert process.end() == 0


def test_the_end_of_stdin_lets_accepted_requests_finish(tmp_path: Path) -> None:
    with talking(tmp_path / "root") as process:
        process.shake()
        for number in range(5):
            params = {"name": "wait", "arguments": {"seconds": 0.5}}
            process.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        assert process.end() == 0
        assert sorted(process.hear()["id"] for _ in range(5)) == list(range(5))
        assert "Traceback" not in process.log()


@pytest.mark.parametrize("said", [b"", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()])
def test_stdin_that_ends_at_once_is_no_error(tmp_path: Path, said: bytes) -> None:
    done = subprocess.run(
        [sys.executable, str(TINY)], input=said, env=clean_env(tmp_path / "root"), capture_output=True, timeout=60
    )
    assert done.returncode == 0
    assert done.stderr == b""
    assert [json.loads(line)["result"] for line in done.stdout.splitlines()] == ([{}] if said.strip() else [])


@posix_only
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_order(tmp_path: Path, how: signal.Signals) -> None:
    with talking(tmp_path / "root") as process:
        process.shake()
        process.call("who")
        params = {"name": "wait", "arguments": {"seconds": 2}}
        process.say({"jsonrpc": "2.0", "id": "last", "method": "tools/call", "params": params})
        process.say({"jsonrpc": "2.0", "id": "next", "method": "ping"})
        assert process.hear()["id"] == "next"  # so what came before it has been read
        process.process.send_signal(how)
        assert process.hear()["id"] == "last"
        assert process.process.wait(60) == 0
        assert "Traceback" not in process.log()


@posix_only
def test_a_signal_before_the_first_line(tmp_path: Path) -> None:
    with talking(tmp_path / "root") as process:
        _await_handler(process.process.pid, signal.SIGTERM)
        process.process.terminate()
        assert process.process.wait(60) == 0
        assert process.log() == ""


def _await_handler(pid: int, wanted: signal.Signals) -> None:
    """Until the process handles the signal: before that, it is still Python that starts."""
    status = Path(f"/proc/{pid}/status")
    for _ in range(2400):
        if not status.exists():  # not Linux
            time.sleep(2)
            return
        caught = re.search(r"^SigCgt:\s*(\w+)", status.read_text(), re.MULTILINE)
        if caught and int(caught[1], 16) >> (wanted - 1) & 1:
            return
        time.sleep(0.05)
    raise AssertionError(f"{wanted.name} is never handled")


@posix_only
def test_a_reader_that_has_gone_ends_it_quietly(tmp_path: Path) -> None:
    read, write = os.pipe()
    other = subprocess.Popen(
        [sys.executable, str(TINY)], stdin=subprocess.PIPE, stdout=write, stderr=subprocess.PIPE,
        env=clean_env(tmp_path / "root"),
    )  # fmt: skip
    os.close(write)
    os.close(read)
    assert other.stdin is not None
    other.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
    other.stdin.flush()
    assert other.wait(60) == 0, "it does not wait for stdin"
    assert other.stderr is not None
    assert other.stderr.read() == b""
    other.stdin.close()
    other.stderr.close()


def test_a_wrong_setting_is_told_on_stderr_and_by_the_exit_code(tmp_path: Path) -> None:
    env = {"EVEROS_API__PORT": "eighty"}
    with talking(tmp_path / "root", env=env) as process:
        process.ask("initialize", CONTRACT_FORM)
        assert process.process.wait(60) == 1
        assert "EVEROS_API__PORT" in process.log()


def test_a_vault_that_cannot_be_opened_is_told_by_the_tool(tmp_path: Path) -> None:
    (tmp_path / "root").write_text("a file where the vault should be", encoding="utf-8")
    with talking(tmp_path / "elsewhere", env={"EVEROS_MEMORY__ROOT": str(tmp_path / "root")}) as process:
        process.shake()
        answer = process.call("write", line="x")
        assert answer["isError"] is True
        assert process.ask("tools/list")["result"]["tools"]


def test_eight_processes_on_one_vault_lose_nothing(tmp_path: Path) -> None:
    each = 10

    def work(number: int) -> None:
        with talking(tmp_path / "root") as process:
            process.shake()
            barrier.wait(60)
            for line in range(each):
                assert process.call("write", line=f"{number}-{line}")["isError"] is False
            assert process.end() == 0

    (tmp_path / "root").mkdir()
    barrier = threading.Barrier(8)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    written = (tmp_path / "root/default/default/users/tiny/notes.md").read_text(encoding="utf-8").split()
    assert sorted(written) == sorted(f"{number}-{line}" for number in range(8) for line in range(each))


@pytest.mark.parametrize(
    ("args", "reason"), [(["--toolset", "nothing"], "there is no 'nothing'"), (["--transport", "pigeon"], "pigeon")]
)
def test_the_command_explains_what_it_cannot_do(tmp_path: Path, args: list[str], reason: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "everlore", "mcp", *args],
        env=clean_env(tmp_path / "root"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stdout == ""
