"""How pages name what the tables abbreviate."""

__all__ = ["NAMES"]

NAMES = {
    "kNN": "k-NN",
    "gamma_test": "Gamma Test",
    "mutual_information": "mutual information",
    "RANN_wrapper": "RANN",
    "PBIL+gamma_test": "PBIL by the Gamma Test",
    "PBIL+RANN_wrapper": "PBIL by RANN",
    "with_class": "with the class",
    "with_feature": "with another feature",
    "test_acc_pct": "test",
    "train_acc_pct": "training",
}
