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
    "error_05": "validation by error, delete rate 0.05",
    "error_30": "validation by error, delete rate 0.3",
    "cost_30": "validation by cost, delete rate 0.3",
    "auc_05": "validation by AUC, delete rate 0.05",
    "auc_30": "validation by AUC, delete rate 0.3",
    "evaluator_30": "delete rate 0.3 in the evaluation",
    "weight_per_sample": "entropy weight by sample",
    "no_entropy": "no entropy",
    "short_steps": "short steps",
    "random_ties": "equal scores at random",
    "one_neighbour": "Relief instead of ReliefF",
    "width_bins": "bins of equal width",
    "normal_noise": "normal noise",
    "amplitude_ratios": "noise by ratios of amplitudes",
    "svm_grid": "SVM parameters by grid",
    "AUC_eval_GMLVQ_all_features": "AUC of GMLVQ on all features",
}
