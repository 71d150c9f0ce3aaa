"""What the report on a CSV file finds: planted traps, false alarms, planted columns, and the honesty of its score.

``python benchmarks/dossier.py [--files 200] [--scored 60]`` prints one line per measure, with the goal beside it. It
isn't part of ``make bench``, which measures speed.
"""

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import balanced_accuracy_score, r2_score

from fscore.dossier import pose, read_text
from fscore.dossier.findings import findings
from fscore.dossier.outputs import final_model
from fscore.dossier.planting import TRAPS, plant
from fscore.dossier.rankings import METHODS, methods_for
from fscore.dossier.selecting import Settings
from fscore.dossier.work import Work

GROUPS = [[kind for kind in TRAPS if kind not in ("groups", "drift", "wide")], ["groups"], ["drift"], ["wide"]]


def traps_of_one_file(seed, folder):
    """Plant up to three traps (every fourth file: none); what was planted, found, and alarmed for nothing."""
    rng = np.random.default_rng([17, seed])
    names = []
    if seed % 4:
        special = rng.choice([*GROUPS[1], *GROUPS[2], *GROUPS[3]]) if rng.uniform() < 0.2 else None
        ordinary = rng.choice(GROUPS[0], size=2, replace=False).tolist()
        names = [*ordinary, special] if special else ordinary
        if {"spelling", "imbalance", "recoded target", "noisy target"} & set(names) and "rare class" in names:
            names.remove("rare class")
    planted = plant(
        seed,
        n_samples=int(rng.choice([120, 300, 1000])),
        n_noise=int(rng.integers(4, 30)),
        n_classes=int(rng.integers(2, 4)),
        traps=names,
    )
    file = Path(folder) / f"{seed}.csv"
    planted.table.to_csv(file, index=False)
    problem = pose(read_text(file), "outcome")
    file.unlink()
    found = {}
    for trap in problem.traps:
        found.setdefault(trap.kind, set()).update(trap.columns)
    hit = [kind in found and set(columns) <= found[kind] for kind, columns in planted.traps.items()]
    false = [kind for kind in found if kind not in planted.traps]
    missed = [kind for kind, here in zip(planted.traps, hit, strict=True) if not here]
    return {"n": len(hit), "found": sum(hit), "missed": missed, "false": false, "names": names}


def score_of_one_file(seed, folder, regression):
    """Select and score; compare with a large hold-out, and the columns found with those of every single method."""
    rng = np.random.default_rng([18, seed])
    n_samples = int(rng.choice([150, 300, 600]))
    n_relevant, n_noise = int(rng.integers(3, 7)), int(rng.integers(6, 25))
    planted = plant(
        1000 + seed,
        n_samples=n_samples,
        n_relevant=n_relevant,
        n_noise=n_noise,
        n_classes=int(rng.integers(2, 4)),
        signal=float(rng.choice([1.0, 2.0, 4.0])),
        traps=rng.choice(["constant", "sequence"], size=1).tolist(),
        n_holdout=20000,
        regression=regression,
        product=bool(seed % 2),
    )
    file = Path(folder) / f"s{seed}.csv"
    planted.table.to_csv(file, index=False)
    problem = pose(read_text(file), "outcome")
    file.unlink()
    task = problem.target.task
    settings = Settings(task, tuple(methods_for(task)), None, seed)
    work = Work(problem, settings)
    results = {"select": work.run("select")}
    results |= {f"fold {k}": work.run(f"fold {k}") for k in range(len(work.outer))}
    found = findings(problem, work, results)
    found.verdict, found.recommended = "select", found.units
    predicted = final_model(problem, found).predict(planted.holdout)
    truth = planted.holdout["outcome"].to_numpy()
    held = (balanced_accuracy_score if task == "classification" else r2_score)(truth, predicted)
    k = len(found.units)
    names = [unit.name for unit in problem.units]
    recall = {
        name: np.mean([relevant in {names[unit] for unit in order[:n_relevant]} for relevant in planted.relevant])
        for name, order in found.ranks.items()
    }
    recall["report"] = recall[results["select"]["chosen"][0]]
    chosen = {names[unit] for unit in found.units}
    return {
        "error": found.chosen.value - held,
        "optimism": found.reported - held,
        "covered": found.chosen.lower <= held <= found.chosen.upper,
        "width": found.chosen.upper - found.chosen.lower,
        "recall": recall,
        "chosen": np.mean([relevant in chosen for relevant in planted.relevant]),
        "false": 1 - np.mean([name in planted.relevant for name in chosen]),
        "size": k,
        "n_relevant": n_relevant,
        "task": task,
    }


def main():
    """Print the measures; exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=200, help="files with planted traps")
    parser.add_argument("--scored", type=int, default=60, help="files that are selected from and scored; 0 for none")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        pool = Parallel(n_jobs=options.jobs)
        traps = pool(delayed(traps_of_one_file)(seed, folder) for seed in range(options.files))
        goals = report_traps(traps)
        scored = pool(delayed(score_of_one_file)(seed, folder, seed % 3 == 2) for seed in range(options.scored))
        goals += report_scores(scored) if scored else []
    print(f"{time.perf_counter() - start:.0f} s")
    return 0 if all(goals) else 1


def say(measure, value, goal, holds):
    """Print one measure."""
    print(f"| {measure} | {value} | {goal} | {'yes' if holds else 'no'} |", flush=True)
    return holds


def report_traps(traps):
    """Shares of planted traps found, and of files with a false alarm."""
    n, found = sum(row["n"] for row in traps), sum(row["found"] for row in traps)
    alarmed = sum(bool(row["false"]) for row in traps)
    for row in traps:
        if row["missed"] or row["false"]:
            print(f"planted {row['names']}: missed {row['missed']}, false {row['false']}")
    return [
        say("planted traps found", f"{found} of {n} ({found / n:.1%})", "at least 95 %", found >= 0.95 * n),
        say(
            "files with a false alarm",
            f"{alarmed} of {len(traps)} ({alarmed / len(traps):.1%})",
            "at most 5 %",
            alarmed <= 0.05 * len(traps),
        ),
    ]


def report_scores(scored):
    """Bias and coverage of the honest score; how many planted columns are found."""
    goals = []
    for task in ("classification", "regression"):
        rows = [row for row in scored if row["task"] == task]
        if not rows:
            continue
        error, covered = np.array([row["error"] for row in rows]), np.mean([row["covered"] for row in rows])
        optimism = np.mean([row["optimism"] for row in rows])
        width = np.mean([row["width"] for row in rows])
        spread = error.std() / np.sqrt(len(rows))
        goals.append(
            say(
                f"{task}, {len(rows)} files: honest score minus hold-out",
                f"{error.mean():+.4f} +- {spread:.4f} (what the search reports: {optimism:+.4f})",
                "within 0.01",
                abs(error.mean()) <= 0.01,
            )
        )
        goals.append(
            say(
                f"{task}: 90 % intervals that hold the hold-out score",
                f"{covered:.0%} (mean width {width:.3f})",
                "85 to 95 %",
                0.85 <= covered <= 0.95,
            )
        )
    names = [name for name in [*METHODS, "vote", "report"] if any(name in row["recall"] for row in scored)]
    recall = {name: np.mean([row["recall"][name] for row in scored if name in row["recall"]]) for name in names}
    best = max((name for name in names if name in METHODS), key=recall.get)
    print("planted columns among as many first: " + ", ".join(f"{name} {recall[name]:.3f}" for name in names))
    goals.append(
        say(
            "planted columns found by the ranking that the report chose",
            f"{recall['report']:.3f} (best single method: {best}, {recall[best]:.3f})",
            "not below the best",
            recall["report"] >= recall[best],
        )
    )
    chosen = np.mean([row["chosen"] for row in scored])
    sizes = np.mean([row["size"] / row["n_relevant"] for row in scored])
    false = np.mean([row["false"] for row in scored])
    print(f"of the selection: {chosen:.3f} of planted columns, {false:.3f} false, {sizes:.2f} times as many as planted")
    return goals


if __name__ == "__main__":
    sys.exit(main())
