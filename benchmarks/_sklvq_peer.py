"""Run in the environment of sklvq: fit its GMLVQ to the data of an .npz file, once per line on standard input."""

import json
import sys
from time import perf_counter

import numpy as np
from sklvq import GMLVQ


def main(path, epochs):
    data = np.load(path)
    start, costs = [], []

    def record(state):
        if not start:
            start.append(state["variables"].tolist())
        costs.append(float(state["fun"]))
        return False

    def model(**extra):
        return GMLVQ(
            activation_type="identity",
            solver_type="waypoint-gradient-descent",
            solver_params={"max_runs": epochs, "step_size": 0.1, "k": 3, "loss": 2 / 3, "gain": 1.1, **extra},
            random_state=0,
        )

    model(callback=record).fit(data["X"], data["y"])
    print(json.dumps({"start": start[0], "cost": costs[-1]}), flush=True)
    for _ in sys.stdin:
        timed = model()
        begin = perf_counter()
        timed.fit(data["X"], data["y"])
        print(json.dumps(perf_counter() - begin), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
