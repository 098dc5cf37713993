"""How a call ended, by its output: failures are seen, and texts about failures are not taken for them."""

from __future__ import annotations

import json

import pytest

from everlore.extract.agent.action import Manner
from everlore.extract.agent.outcome import outcome_of

# what programs print when they fail; an agent ran them
FAILED_RUNS = [
    "pg_restore: error: could not connect to database: FATAL: role does not exist",
    "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! A complete log is in x.log",
    "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/leftpadd",
    "Segmentation fault",
    "running\nSegmentation fault (core dumped)",
    "zsh: segmentation fault  ./a.out",
    "E: Unable to locate package foo",
    "Reading package lists...\nBuilding dependency tree...\nE: Unable to locate package foo",
    "BUILD FAILED",
    "FAILURE: Build failed with an exception.\n\n* What went wrong:\nBUILD FAILED in 3s\n2 actionable tasks",
    "[INFO] Scanning ...\n[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal compile\n[INFO] done at 10:00",
    "String to replace not found in file.",
    "rejected: non-fast-forward",
    "To github.com:a/b.git\n ! [rejected]        main -> main (non-fast-forward)\n"
    "error: failed to push some refs to 'github.com:a/b.git'\nhint: Updates were rejected because the tip is behind",
    "Killed",
    "epoch 1\nepoch 2\nKilled",
    "[1]    4242 killed     python train.py",
    "Aborted (core dumped)",
    "Bus error: 10",
    "curl: (6) Could not resolve host: api.example.com",
    "make: *** [all] Error 2",
    "cc -c main.c\nmain.c:3:5: error: unknown type name 'foo'\nmake[1]: *** [main.o] Error 1",
    "src/a.ts(3,5): error TS2304: Cannot find name 'x'.",
    "error[E0382]: borrow of moved value: `x`\n --> src/main.rs:4:5\n",
    "thread 'main' panicked at src/main.rs:2:5:\nindex out of bounds",
    "panic: runtime error: index out of range [3] with length 3\n\ngoroutine 1 [running]:",
    "--- FAIL: TestAdd (0.00s)\n    add_test.go:9: got 3, want 4\nFAIL\texample.com/add\t0.002s",
    "test result: FAILED. 3 passed; 1 failed; 0 ignored",
    "Tests:       1 failed, 3 passed, 4 total\nTime:        1.2 s\nRan all test suites.",
    "5 examples, 1 failure",
    "  3 passing\n  2 failing",
    "Ran 3 tests in 0.1s\n\nFAILED (failures=1)",
    "/a/b.js\n  1:1  error  'x' is not defined  no-undef\n\n✖ 1 problem (1 error, 0 warnings)",
    "a.py:3: error: Incompatible types\nFound 1 error in 1 file (checked 3 source files)",
    'Exception in thread "main" java.lang.NullPointerException\n\tat A.main(A.java:3)',
    "node:internal/modules/cjs/loader:998\n  throw err;\n\nError: Cannot find module 'express'\n    at x (y.js:1:1)",
    "Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'x'\nexit code 1",
    "bash: foo: command not found",
    "fatal: not a git repository (or any of the parent directories): .git",
    "error: Your local changes to the following files would be overwritten by merge:\n\ta.py\nAborting",
    "CONFLICT (content): Merge conflict in a.py\nAutomatic merge failed; fix conflicts and then commit the result.",
    "ssh: connect to host db port 22: Connection refused",
    "ERROR 1045 (28000): Access denied for user 'root'@'localhost'",
    'ERROR:  relation "userz" does not exist\nLINE 1: select * from userz',
    "docker: Error response from daemon: Conflict. The container name is already in use",
    'Error from server (NotFound): pods "web" not found',
    "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
    "unable to prepare context: unable to evaluate symlinks in Dockerfile path",
    "alembic.util.exc.CommandError: Can't locate revision identified by 'ab12'",
    "FAILED: Can't locate revision identified by 'ab12'",
    "rsync: connection unexpectedly closed\nrsync error: unexplained error (code 255) at io.c(228)",
    "cp: cannot create regular file '/x': No space left on device",
    "mkdir: cannot create directory '/x': Permission denied",
    "tar: Exiting with failure status due to previous errors",
    "Terraform will perform the following actions:\n\n│ Error: creating S3 Bucket (x): BucketAlreadyExists",
    "Process exited with code 137",
    "Exit code: 1\nWall time: 0.2 seconds\nOutput:\nnothing to do",
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
    "Command failed: git clone https://x\n",
    "Command timed out after 2m 0s",
    "2026-05-01 10:00:00 INFO start\n2026-05-01 10:00:01 ERROR could not open the ledger",
    "Job for nginx.service failed because the control process exited with error code.\nSee systemctl status nginx.",
    "ld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1",
    "Done with errors",
    "ERROR: could not open the ledger\nA log file was created at /tmp/x.log",
    "exit 1",
    "returned non-zero exit status 2",
    "Completed with 3 errors",
    "Finished: 2 tests failed",
]

# what a service answers when it does not do what it was asked
FAILED_ANSWERS = [
    "Error: no such table",
    "Payment declined: insufficient funds",
    "The card was declined.",
    "Booking rejected: the room is no longer available",
    "Order could not be placed.",
    "Unable to complete the reservation",
    "Seat 12A is already taken",
    "Login failed",
    "Authentication failed for user 'bob'",
    "Access denied",
    "Unauthorized",
    "403 Forbidden",
    "HTTP/1.1 502 Bad Gateway",
    "HTTP 404 Not Found",
    "Request failed with status code 500",
    "Invalid date: 2026-02-30",
    "Unknown tool: searchh",
    "Rate limit exceeded, try again in 30 seconds",
    "Timed out waiting for selector #submit",
    "Element #submit not found",
    "No such customer: 4711",
    "User bob@example.com does not exist",
    "Missing required parameter: date",
    "✗ upload failed",
    "❌ Deployment failed",
    json.dumps({"error": "x"}),
    json.dumps({"success": False, "message": "denied"}),
    json.dumps({"status": "declined", "reason": "insufficient funds"}),
    json.dumps({"status": "rejected"}),
    json.dumps({"status": "failed"}),
    json.dumps({"status_code": 503}),
    json.dumps({"exit_code": 2, "stderr": "bad flag"}),
    json.dumps({"isError": True, "content": [{"type": "text", "text": "The page crashed"}]}),
]

# a tool that shows things could not show them
FAILED_LOOKS = [
    "cat: a.py: No such file or directory",
    "grep: x: Permission denied",
    "Error: ENOENT: no such file or directory, open 'a.py'",
    "File not found: a.py",
    "File does not exist.",
    "curl: (7) Failed to connect to localhost port 80: Connection refused",
    "fatal: ambiguous argument 'x': unknown revision",
    "ls: cannot access 'x': No such file or directory",
    "sqlite3.OperationalError: no such table: users",
    "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'id'",
    json.dumps({"error": "not found"}),
    "404 Not Found",
    "net::ERR_NAME_NOT_RESOLVED at http://x",
]

# fine, whatever the tool
FINE = [
    "",
    "3 flights found",
    "[1, 2]",
    json.dumps({"error": None, "rows": 3}),
    json.dumps({"status": "ok", "errors": []}),
    json.dumps({"status_code": 200}),
    json.dumps({"exit_code": 0, "stdout": "error: this is a test of errors", "stderr": ""}),
    json.dumps({"status": "cancelled", "id": "B1"}),
    "12 passed, 0 failed in 1s",
    "412 passed in 3.2s",
    "500 rows exported",
    "Errors and how to avoid them: a guide",
    "Error handling in Go\nErrors are values.",
    "# Failure handling\nAn exception is raised when the server fails.",
    "Fixed 3 errors",
    "0 errors, 2 warnings",
    "no failures",
    "No errors found.",
    "Success: no issues found in 12 source files",
    "Found 0 errors",
    "Build succeeded.\n    0 Warning(s)\n    0 Error(s)",
    "tests/test_errors.py::test_error_is_raised PASSED",
    "tests/test_a.py::test_login_failed PASSED\ntests/test_a.py::test_not_found PASSED\n2 passed in 0.1s",
    "ok 1 - returns an error when access is denied\nok 2 - rejects invalid input\n1..2",
    "  ✓ rejects invalid tokens (3 ms)\n  ✓ shows an error when the host cannot be resolved\n\n  2 passing (10ms)",
    "PASS src/errors.test.js\nTests: 3 passed, 3 total",
    "added 120 packages, and audited 121 packages in 3s\nfound 0 vulnerabilities",
    "Created ticket #12: Cannot log in",
    "Updated 3 rows, 0 rejected",
    "Message sent to the error-budget channel",
    "Saved error_report.csv",
    "[main 1a2b3c] Fix error handling\n 2 files changed, 3 insertions(+)",
    "Compiling error-chain v0.12.4\n    Finished dev [unoptimized] target(s) in 3.2s",
    "checking for strerror... yes\nchecking for foo.h... no\nconfigure: creating ./config.status",
    "-- Performing Test HAVE_ERRNO - Failed\n-- Build files have been written to: /x",
    "Mean absolute error: 0.12\nStandard error: 0.03",
    "Error: 0.031",
    "Failed: 0, Passed: 12",
    "tests 12\nfail 0\npass 12",
    "Previously failed jobs: 0",
    "Exit code: 0\nOutput:\nerror: this line is a sample",
    "Process exited with code 0",
    "retrying after connection refused\nconnected\nDone",
    "Merged PR #7: handle rejected uploads",
    "Deployed. Old error pages were removed.",
    "All 12 checks passed, none failed.",
    "The retry succeeded after an earlier timeout.",
    "Terminal cleared",
    "HTTP status: 200",
    "Query returned 3",
    "The function returns 5",
    json.dumps({"result": 450}),
    json.dumps({"code": 404, "name": "Area code"}),
    json.dumps({"status": "paid", "result": "refused the upgrade"}),
]

# fine, because a tool that looks shows what others wrote
SHOWN = [
    "def f():\n    raise ValueError('x')\n\nprint('fine')",
    "2026-05-01 ERROR payment failed for order 1",
    "[ERROR] payment failed\n[ERROR] payment failed again",
    'INFO start\nTraceback (most recent call last):\n  File "x.py"\nValueError: bad\nINFO restarted',
    "Why bridges fail\n\nThe Tay Bridge failed in 1879.\nAccess was denied to the public.",
    "# Troubleshooting\n\n```\nerror: failed to push some refs\n```\n\nSee below: command not found",
    "#12 Cannot log in\n#13 Export fails with exit code 1",
    json.dumps({"id": 7, "status": "failed", "pipeline": "nightly"}),
    "name | status\nbob | declined",
    "errors.py\nexceptions.py\ntest_failed.py",
    "The customer writes: I could not log in and was refused a refund.",
    "CONTAINER   STATUS\nweb         Exited with code 1 two days ago",
    "3 of the cards were declined",
]


# written after the rules, to see how far they carry
MORE_FAILED: list[tuple[Manner, str]] = [
    ("runs", "gpg: decryption failed: No secret key"),
    ("looks", "ERROR 1146: Table 'sales' doesn't exist"),
    ("runs", 'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1'),
    (
        "runs",
        "#8 [4/6] RUN npm ci\n#8 2.31 npm ERR! missing: left-pad\n------\nERROR: failed to solve: process "
        "did not complete successfully: exit code: 1",
    ),
    (
        "runs",
        "Collecting foo\n  ERROR: Could not find a version that satisfies the requirement foo\nERROR: No "
        "matching distribution found for foo",
    ),
    ("runs", 'django.db.utils.OperationalError: could not translate host name "db" to address'),
    ("runs", "W1101 00:00:00 helper.go\nError: INSTALLATION FAILED: cannot re-use a name that is still in use"),
    ("runs", "sqlalchemy.exc.IntegrityError: (psycopg2.errors.UniqueViolation) duplicate key"),
    ("runs", "Exec format error"),
    ("runs", "bash: ./run.sh: /bin/bash^M: bad interpreter: No such file or directory"),
    ("runs", 'error Command "biuld" not found.\ninfo Visit https://yarnpkg.com'),
    ("runs", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"),
    ("runs", "java.lang.OutOfMemoryError: Java heap space"),
    (
        "runs",
        'Waiting for deployment "web" rollout to finish: 0 of 3 updated replicas are available...\nerror: '
        'deployment "web" exceeded its progress deadline',
    ),
    (
        "runs",
        'nginx: [emerg] unknown directive "servre" in /etc/nginx/nginx.conf:3\nnginx: configuration file '
        "/etc/nginx/nginx.conf test failed",
    ),
    ("runs", "Host key verification failed."),
    ("runs", "Permission denied (publickey)."),
    ("runs", "remote: Invalid username or password.\nfatal: Authentication failed for 'https://x'"),
    ("runs", 'Undefined symbols for architecture x86_64:\n  "_foo", referenced from:\nld: symbol(s) not found'),
    ("runs", "AssertionError"),
    ("runs", "SyntaxError: invalid syntax"),
    ("runs", '  File "a.py", line 3\n    x = = 3\n        ^\nSyntaxError: invalid syntax'),
    ("runs", "Uncaught TypeError: x is not a function"),
    ("runs", "TypeError: Cannot read properties of undefined (reading 'map')\n    at x (y.js:3)\n\nNode.js v18"),
    ("runs", "Error: listen EADDRINUSE: address already in use :::3000"),
    ("runs", 'ansible: fatal: [web1]: FAILED! => {"changed": false}'),
    ("runs", "PLAY RECAP\nweb1 : ok=3 changed=1 unreachable=0 failed=1"),
    ("runs", "W: An error occurred during the signature verification.\nE: The repository is not signed."),
    ("runs", "Lint errors found: 3"),
    ("runs", "standard_init_linux.go:228: exec user process caused: no such file or directory"),
    ("runs", "ModuleNotFoundError: No module named 'yaml'"),
    ("runs", "rails aborted!\nActiveRecord::PendingMigrationError: Migrations are pending."),
    ("runs", "** (Mix) Could not compile dependency :foo"),
    ("runs", 'Couldn\'t find a package.json file in "/x"'),
    ("runs", "ENOENT: no such file or directory, open 'x'"),
    ("answers", "Sorry, that flight is no longer available."),
    ("answers", "The reservation failed: no rooms left for these dates."),
    ("answers", "Tool execution failed"),
    ("answers", "Your session has expired. Please log in again."),
    ("answers", "Oops! Something went wrong."),
    ("answers", '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}'),
    ("answers", '{"code": 404, "message": "Not Found"}'),
    ("answers", '{"errors":[{"message":"Field x not found"}]}'),
    ("answers", '{"result":"error","message":"quota"}'),
    ("answers", "InputValidationError: path is required"),
    ("answers", "Edit failed: old_string not unique"),
    ("answers", "No changes made: old_string and new_string are identical"),
    ("looks", "Page not found (404)"),
    ("looks", "Error fetching URL: 403 Forbidden"),
    ("looks", "Request timed out"),
    ("looks", "Could not open the page"),
    ("looks", "bash: rg: command not found"),
    ("looks", '{"error":{"code":"RATE_LIMIT","message":"slow down"}}'),
]
MORE_FINE: list[tuple[Manner, str]] = [
    ("runs", "Successfully installed stripe-5.0"),
    ("runs", "Requirement already satisfied: stripe in ./venv"),
    ("runs", "Everything up-to-date"),
    ("runs", "Already up to date."),
    ("runs", "To github.com:x/y.git\n   1a2..3b4  main -> main"),
    ("runs", "warning: unused variable: `error`\n  --> src/main.rs:2:9\n    Finished `dev` profile"),
    ("runs", "npm warn deprecated inflight@1.0.6: This module is not supported, and leaks memory.\n\nadded 3 packages"),
    ("runs", "INFO  [alembic.runtime.migration] Running upgrade -> 1a2b, add error table"),
    (
        "runs",
        "nginx: the configuration file /etc/nginx/nginx.conf syntax is ok\nnginx: configuration file test "
        "is successful",
    ),
    ("runs", "Accuracy: 0.91\nError rate: 0.09"),
    ("runs", "epoch 1 loss 0.3 error 0.12\nepoch 2 loss 0.2 error 0.10"),
    ("runs", "user_id,error_count\n1,0\n2,5"),
    ("runs", "       error_type  count\n0  TimeoutError     12\n1  ValueError        3"),
    ("runs", "On branch main\nnothing to commit, working tree clean"),
    ("runs", "Container web  Started"),
    ("runs", "deployment.apps/web configured"),
    ("runs", "PLAY RECAP\nweb1 : ok=3 changed=1 unreachable=0 failed=0"),
    ("runs", "All checks passed!"),
    ("runs", "test_errors (tests.test_a.T) ... ok\n\n----\nRan 3 tests in 0.001s\n\nOK"),
    ("runs", "Reverted 3 commits\nerror pages restored"),
    ("runs", 'pod "web-1" deleted'),
    ("runs", "DROP TABLE"),
    ("runs", "3 files reformatted, 2 files left unchanged."),
    ("runs", "Removed invalid rows: 12\nSaved clean.csv"),
    ("runs", "Skipped 3 invalid rows. Wrote 97 rows to out.csv"),
    ("runs", "count    100\nfailed     3\npassed    97"),
    ("runs", "Top complaints:\n1. Could not log in (12)\n2. Payment declined (9)\n3. Late delivery (3)"),
    ("runs", "tests/test_auth.py ....                [100%]\n4 passed, 1 warning in 0.3s"),
    ("runs", "\x1b[32m✔\x1b[0m Compiled successfully in 3s"),
    ("answers", "Booked room 12 at Hotel Error"),
    ("answers", "The file a.py has been updated."),
    ("answers", "File created successfully at: /x/errors.py"),
    ("answers", "Email sent to bob about the failed payment"),
    ("answers", "Ticket #12 closed"),
    ("answers", "Refund of 30 EUR issued for declined order 7"),
    ("answers", "Clicked 'Report an error'"),
    ("answers", '{"id": 3, "title": "Login failed"}'),
    ("answers", '{"result": "ok", "failed_before": 2}'),
    ("answers", "Reservation confirmed. Cancellation not possible after June 1."),
    ("answers", "Your order has been placed. Delivery cannot be changed after dispatch."),
    ("answers", "I found the answer: Paris."),
    ("answers", "Subscribed to errors channel"),
    ("looks", "# Error codes\n\n404 Not Found\n500 Internal Server Error"),
    ("looks", "Access denied is a 1991 film.\nIt was directed by..."),
    ("looks", "Fatal Attraction (1987) - IMDb\nDirected by Adrian Lyne"),
    ("looks", "Exception handling - Python docs\nErrors detected during execution are called exceptions."),
    ("looks", "error.log  access.log"),
    ("looks", "Panic! at the Disco - tour dates"),
    ("looks", "failed_jobs\nusers\norders"),
    ("looks", "a.py:3: raise KeyError('x')\nb.py:9: error: str = ''"),
    ("looks", "commit 1a2b\n    fix: error when host is unreachable"),
    ("looks", "No results found."),
    ("looks", "No flights found for June 3"),
    ("looks", "on: push\njobs:\n  test:\n    if: failure()"),
]


@pytest.mark.parametrize("output", FAILED_RUNS)
def test_a_program_that_fails_is_seen(output: str) -> None:
    assert outcome_of(output, "runs").state == "error"


@pytest.mark.parametrize("output", FAILED_ANSWERS)
def test_an_answer_that_refuses_is_seen(output: str) -> None:
    assert outcome_of(output, "answers").state == "error"
    assert outcome_of(output, "runs").state == "error"


@pytest.mark.parametrize("output", FAILED_LOOKS)
def test_a_look_that_fails_is_seen(output: str) -> None:
    assert outcome_of(output, "looks").state == "error"


@pytest.mark.parametrize(("manner", "output"), MORE_FAILED)
def test_other_failures_are_seen(manner: Manner, output: str) -> None:
    assert outcome_of(output, manner).state == "error"


@pytest.mark.parametrize(("manner", "output"), MORE_FINE)
def test_other_outputs_are_fine(manner: Manner, output: str) -> None:
    assert outcome_of(output, manner).state == "ok"


@pytest.mark.parametrize("manner", ["looks", "answers", "runs"])
@pytest.mark.parametrize("output", FINE)
def test_what_is_fine_is_never_an_error(output: str, manner: Manner) -> None:
    assert outcome_of(output, manner).state == "ok"


@pytest.mark.parametrize("output", SHOWN)
def test_what_a_tool_shows_is_not_its_own_failure(output: str) -> None:
    assert outcome_of(output, "looks").state == "ok"
