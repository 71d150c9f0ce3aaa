"""Kernels forked from one process that has imported what notebooks use, which takes most of the time of a start."""

import multiprocessing
import os
import sys
import tempfile
from importlib.metadata import EntryPoint
from multiprocessing import forkserver

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from compendium.papers import NOTEBOOKS, ROOT
from fscore._interrupts import ctrl_c_ignored

# This project's code, one thread for linear algebra, and a fixed order of sets.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(NOTEBOOKS)]),
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}
PRELOADED = [__name__, "compendium.page", "fscore.search", "matplotlib_inline.backend_inline"]
LONGEST_FOLDER = 75  # for temporary files: the path of a socket there has at most 107 characters
# The linear algebra of macOS does not survive a fork. Where nothing is forked, each kernel imports for itself.
FORKS = sys.platform == "linux" and len(tempfile.gettempdir()) <= LONGEST_FOLDER
FORKING = multiprocessing.get_context("forkserver" if FORKS else "spawn")


class Forked(LocalProvisioner):
    """Forks a kernel, where Jupyter's own class starts a program."""

    async def launch_kernel(self, cmd, **kwargs):
        self.process = _Kernel(target=_run, args=(cmd[cmd.index("-f") :], os.getcwd()))
        self.process.start()
        self.pid = self.pgid = self.process.pid
        return self.connection_info


class _Kernel(FORKING.Process):
    """A process with what the class above uses of `subprocess.Popen`."""

    stdin = stdout = stderr = None

    def poll(self):
        return self.exitcode

    def wait(self):
        self.join()
        return self.exitcode

    def send_signal(self, number):
        os.kill(self.pid, number)


def _run(arguments, folder):
    """Run a kernel in a group of its own; it ends when the process ends that it was forked from."""
    os.setsid()
    os.chdir(folder)
    IPKernelApp.launch_instance(arguments, parent_handle=os.getppid())


def fork_kernels():
    """From now on fork the kernels that this process starts."""
    os.environ.update(ENVIRONMENT)
    factory = KernelProvisionerFactory.instance()
    factory.provisioners["forked"] = EntryPoint("forked", f"{__name__}:Forked", factory.GROUP_NAME)
    factory.default_provisioner_name = "forked"
    if FORKS:
        FORKING.set_forkserver_preload(PRELOADED)
        with ctrl_c_ignored():
            forkserver.ensure_running()


def kill_kernels():
    """Kill the kernels that run."""
    for process in multiprocessing.active_children():
        if isinstance(process, _Kernel):
            process.kill()
