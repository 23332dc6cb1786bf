"""Makes reference.json: figures of SciPy and statsmodels that src/stats is held against. See README.md."""
import json
import random
import sys

import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

rng = random.Random(20260101)


def mcnemar_case(both, gained, lost, neither):
    table = [[both, lost], [gained, neither]]
    return {
        "table": {"bothPass": both, "gained": gained, "lost": lost, "bothFail": neither},
        "exact": float(mcnemar(table, exact=True).pvalue),
        "chiSquare": float(mcnemar(table, exact=False, correction=True).pvalue),
        "newcombe": newcombe(both, gained, lost, neither),
    }


def newcombe(both, gained, lost, neither):
    """Method 10 of Newcombe (1998), on the Wilson intervals of statsmodels."""
    n = both + gained + lost + neither
    before, after = both + lost, both + gained
    low_b, high_b = proportion_confint(before, n, method="wilson")
    low_a, high_a = proportion_confint(after, n, method="wilson")
    p_b, p_a = before / n, after / n
    scale = float(after) * (lost + neither) * before * (gained + neither)
    product = both * neither - gained * lost
    numerator = product if product < 0 else max(0.0, product - n / 2)
    phi = numerator / scale**0.5 if scale else 0.0
    down = ((p_a - low_a) ** 2 - 2 * phi * (p_a - low_a) * (high_b - p_b) + (high_b - p_b) ** 2) ** 0.5
    up = ((high_a - p_a) ** 2 - 2 * phi * (high_a - p_a) * (p_b - low_b) + (p_b - low_b) ** 2) ** 0.5
    return [p_a - p_b - down, p_a - p_b + up]


def paired_case(size, shift):
    before = [round(rng.gauss(0.5, 0.2), 3) for _ in range(size)]
    after = [round(value + rng.gauss(shift, 0.15), 3) for value in before]
    test = stats.ttest_rel(after, before)
    low, high = test.confidence_interval(0.95)
    case = {"before": before, "after": after, "t": float(test.statistic), "p": float(test.pvalue), "interval": [float(low), float(high)]}
    if size <= 14:
        exact = stats.permutation_test(
            (np.subtract(after, before),), lambda d, axis: np.sum(d, axis=axis), permutation_type="samples", vectorized=True, n_resamples=np.inf
        )
        case["permutation"] = float(exact.pvalue)
    return case


def clustered_case(samples, epochs):
    groups, differences = [], []
    for sample in range(samples):
        own = rng.gauss(0.05, 0.2)
        for _ in range(epochs):
            groups.append(sample)
            differences.append(round(own + rng.gauss(0, 0.3), 4))
    fit = sm.OLS(differences, np.ones(len(differences))).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    low, high = fit.conf_int(0.05)[0]
    return {
        "samples": samples, "epochs": epochs, "differences": differences,
        "mean": float(fit.params[0]), "standardError": float(fit.bse[0]), "p": float(fit.pvalues[0]), "interval": [float(low), float(high)],
    }


def power_case(effect, power):
    n = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=power, alternative="two-sided")
    return {"effect": effect, "power": power, "samples": float(n)}


tables = [(20, 2, 12, 16), (1, 7, 1, 12), (59, 16, 6, 80), (794, 86, 150, 570), (0, 0, 0, 5), (5, 6, 0, 0), (4_000, 700, 560, 3_000), (10, 1_200, 1_290, 3), (30, 5, 5, 60)]
holm = [[0.01, 0.04, 0.03, 0.005], [0.2, 0.2, 0.9], [0.001], [0.04, 0.5, 0.0001, 0.04, 1.0]]
reference = {
    "madeWith": {"python": sys.version.split()[0], "scipy": scipy.__version__, "statsmodels": statsmodels.__version__},
    "mcnemar": [mcnemar_case(*table) for table in tables],
    "paired": [paired_case(size, shift) for size, shift in [(5, 0.3), (9, 0.1), (14, 0.1), (30, 0.02), (200, 0.03)]],
    "clustered": [clustered_case(samples, epochs) for samples, epochs in [(12, 3), (40, 2), (25, 5)]],
    "holm": [{"p": p, "adjusted": [float(v) for v in multipletests(p, method="holm")[1]]} for p in holm],
    "tTails": [{"t": t, "freedom": f, "p": float(2 * stats.t.sf(t, f))} for t in (0.0, 0.5, 2.0, 4.5) for f in (1, 2, 9, 100, 9_999)],
    "normalTails": [{"z": z, "p": float(2 * stats.norm.sf(z))} for z in (0.0, 0.3, 1.959963984540054, 3.7, 5.9, 7.5)],
    "power": [power_case(effect, power) for effect in (0.1, 0.2, 0.5, 0.8) for power in (0.8, 0.9)],
}
print(json.dumps(reference, indent=1))
