from sklearn.utils.estimator_checks import parametrize_with_checks

from fscore.weighting import MDM


@parametrize_with_checks([MDM(), MDM(nu=0.3)])
def test_sklearn_conventions(estimator, check):
    check(estimator)
