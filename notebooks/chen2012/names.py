"""How pages name what the tables abbreviate."""

__all__ = ["NAMES"]

NAMES = {
    "GMLVQ_original_omega": "GMLVQ, original Omega",
    "Relieff": "ReliefF",
    "IG": "information gain",
    "IG, equal scores at random": "information gain, equal scores at random",
    "n_instances": "samples",
    "n_attributes": "features",
    "n_classes": "classes",
    "top3_average_ranking": "first three of the average ranking",
    "common_in_top8": "in the first 8 of all methods",
    "common_in_top10": "in the first 10 of all methods",
    "common_in_top12": "in the first 12 of all methods",
    "auc_05": "AUC, delete rate 0.05",
    "AUC_eval_GMLVQ_all_features": "AUC of GMLVQ on all features",
}
