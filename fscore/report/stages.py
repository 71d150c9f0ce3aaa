"""The stages of a report, in order: each sees what the stages before it made of the problem."""

from dataclasses import replace

import numpy as np

from fscore.report import rules_of_columns as columns
from fscore.report import rules_of_groups as groups
from fscore.report import rules_of_joint_leaks as joint_leaks
from fscore.report import rules_of_leaks as leaks
from fscore.report import rules_of_offers as offers
from fscore.report import rules_of_other_rows as other_rows
from fscore.report import rules_of_questions as questions
from fscore.report import rules_of_rows as rows
from fscore.report import rules_of_time as time
from fscore.report import target

__all__ = ["STAGES", "run_stage"]

STAGES = {
    "rows that sum up others": (rows.summary_rows,),
    "an impossible target": (rows.impossible_target,),  # as that of a row of totals
    "columns as offered": (
        *(offers.one_hot_columns, offers.several_numbers, offers.several_answers, offers.texts_with_gaps),
        *(offers.time_stamps, offers.differences, offers.filled_in_once),
    ),
    "constants": (columns.empty, columns.constant, columns.mixed_notation, leaks.contains_the_target),
    "time": (time.time_order,),
    "identifiers": (columns.identifier, columns.free_text),
    # a row number is no leak, though it tells the class in a sorted file
    "leaks": (
        *(leaks.target_leak, leaks.rounded_to_the_target, leaks.target_in_bands, leaks.beyond_limits),
        *(leaks.running_sum, leaks.mean_of_the_target),
    ),
    "copies of columns": (columns.duplicate_columns,),
    "groups": (groups.groups,),
    "numbers of units": (columns.unit_numbers,),
    "leaks of other rows": (other_rows.made_over_time,),
    "questions": (
        joint_leaks.sum_leak,
        joint_leaks.product_leak,
        joint_leaks.range_leak,
        joint_leaks.beyond_another_column,
        questions.coarser_target,
        questions.mostly_equal,
        questions.follow_up_time,
        questions.filled_in_for_one_class,
        questions.filled_in_together,
        other_rows.order_within_groups,
        other_rows.first_within_groups,
    ),
    "parts of leaks": (joint_leaks.parts_of_a_leak,),
    "copies of rows": (rows.repeated_rows, rows.contradicting_rows),  # a leak doesn't make copies differ
    "classes that are rare without copies": (target.rare_classes,),
    "copies with another identifier": (rows.copies_with_another_identifier,),
    "sampling": (rows.many_rows,),
    "notes": (
        *(columns.codes_for_missing, columns.zeros_apart, columns.mixed_types, columns.dates, columns.missing_values),
        *(columns.more_columns_than_rows, columns.many_columns, offers.several_labels, target.imbalance),
        rows.similar_neighbors,
    ),
}


def run_stage(rules, problem):
    """Apply rules that don't see each other's changes, so that their order doesn't matter.

    Parameters
    ----------
    rules : sequence of function
        See `fscore.report.issues.rule`.
    problem : Problem

    Returns
    -------
    problem : Problem
    issues : list of Issue
        By kind.
    """
    results = [result for rule in rules if problem.columns and (result := rule(problem))]
    if not results:
        return problem, []
    issues = sorted((issue for issue, _ in results if issue), key=lambda issue: issue.kind)
    changes = {}
    for _, changed in results:
        for name, value in changed.items():
            changes[name] = {**changes.get(name, {}), **value} if name in ("derived", "types") else value
    problem = problem.offer(dict(sorted(changes.pop("derived", {}).items())))
    problem = problem.retype(changes.pop("types", {}))
    is_kept = changes.pop("keep_rows", None)
    problem = problem.leave_out({name: issue.kind for issue in reversed(issues) for name in issue.left_out})
    problem = replace(problem, **changes)
    return problem if is_kept is None else problem.keep_rows(np.flatnonzero(is_kept)), issues
