"""Fixed-interface modes by SLEPc: K x = lambda M x on the interior."""

import numpy as np
from petsc4py import PETSc
from slepc4py import SLEPc

from solver import NotConverged, norms

#: Residual |K x - lambda M x| over lambda |M x| up to which modes are accepted.
RESIDUAL = 1e-9
#: Most corrections of the modes.
MAX_CORRECTIONS = 4
#: Modes behind the requested ones: at least this number, and this part of them.
LEAST_GUARDS, GUARDS = 4, 0.1


def gap_behind(values, n, smallest):
    """Number of values below the first gap behind n values, and a shift in the gap."""
    for below in range(n, len(values)):
        before = values[below - 1] if below else 0.0
        gap = values[below] - before
        if gap > smallest * values[below]:
            return below, before + 0.5 * min(gap, 0.1 * values[below])
    raise NotConverged(f"there is no gap behind the {n} requested modes: request more with --modes")


class InversePC:
    """The inverse with fixed means as a preconditioner that SLEPc applies."""

    def __init__(self, inverse):
        self.inverse = inverse

    def apply(self, _pc, b, x):
        field = np.asfortranarray(b.getArray(readonly=True).reshape(-1, 1)).copy(order="F")
        self.inverse.problem.clear(field, self.inverse.problem.prescribed)
        x.setArray(self.inverse.solve_fields(field)[:, 0])


def krylov(problem, inverse, n, say):
    """The lowest n vectors by Krylov-Schur on the inverse of K times M."""
    eps = SLEPc.EPS().create(problem.comm)
    eps.setOperators(problem.stiffness, problem.mass)
    eps.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    eps.setType(SLEPc.EPS.Type.KRYLOVSCHUR)
    eps.setTarget(0.0)
    eps.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
    eps.setDimensions(nev=n)
    eps.setTolerances(tol=1e-11, max_it=500)
    transformation = eps.getST()
    transformation.setType(SLEPc.ST.Type.SINVERT)
    ksp = transformation.getKSP()
    ksp.setType(PETSc.KSP.Type.PREONLY)
    ksp.getPC().setType(PETSc.PC.Type.PYTHON)
    ksp.getPC().setPythonContext(InversePC(inverse))
    # A start in the range of the inverse: zero at prescribed dofs, means at rest.
    start = problem.vector()
    start.setRandom()
    field = problem.product(problem.mass, np.asfortranarray(start.getArray(readonly=True).reshape(-1, 1)))
    problem.clear(field, problem.prescribed)
    eps.setInitialSpace([problem.vector(np.ascontiguousarray(inverse.solve_fields(field)[:, 0]))])
    eps.setFromOptions()
    # Lines of progress, one for each step that finds something.
    last = [-1]

    def report(_eps, iteration, converged, _values, _errors):
        if converged > last[0]:
            last[0] = converged
            say(f"{converged} of {n} modes after {iteration} iterations")

    eps.setMonitor(report)
    eps.solve()
    found = eps.getConverged()
    if found < n:
        raise NotConverged(f"{found} of {n} modes converged after {eps.getIterationNumber()} iterations: "
                           "request fewer with --modes, or raise the limit with --petsc \"-eps_max_it N\"")
    fields, x = problem.zeros(n), problem.vector()
    for k in range(n):
        eps.getEigenvector(k, x)
        fields[:, k] = x.getArray(readonly=True)
    eps.destroy()
    return problem.clear(fields, problem.prescribed)


def combined(problem, fields):
    """Rayleigh-Ritz: values, vectors with X' M X = E, and their K X and M X."""
    k_x, m_x = (problem.product(matrix, fields) for matrix in (problem.stiffness, problem.mass))
    stiffness, mass = problem.gram(fields, k_x), problem.gram(fields, m_x)
    lower = np.linalg.cholesky(0.5 * (mass + mass.T))
    reduced = np.linalg.solve(lower, np.linalg.solve(lower, 0.5 * (stiffness + stiffness.T)).T)
    values, vectors = np.linalg.eigh(0.5 * (reduced + reduced.T))
    turn = np.linalg.solve(lower.T, vectors)
    return values, *(np.asfortranarray(field @ turn) for field in (fields, k_x, m_x))


def corrected(problem, inverse, fields, say):
    """Pairs whose residuals are small; inverse iteration improves them where needed."""
    last = np.inf
    for _ in range(MAX_CORRECTIONS + 1):
        values, fields, k_x, m_x = combined(problem, fields)
        left = k_x - m_x * values
        problem.clear(left, problem.prescribed)
        inverse.without_reactions(left)
        residuals = norms(problem, left) / (np.abs(values) * norms(problem, m_x))
        worst = float(residuals.max())
        if worst <= RESIDUAL or not worst < 0.5 * last:
            break
        last = worst
        say(f"modes with residuals up to {worst:.1e} are corrected")
        fields = fields - inverse.corrections(left, inverse.sums_of(fields))
    if not worst <= RESIDUAL:
        mode = int(residuals.argmax())
        raise NotConverged(f"mode {mode + 1} keeps a residual of {worst:.1e} (at most {RESIDUAL:.0e}): use a "
                           "smaller --tolerance, or --solver mumps")
    return values, fields, worst


def fixed_modes(problem, inverse, count, limit, say):
    """The lowest modes: squares of circular frequencies, fields, largest residual.

    * `limit` -- all modes up to this value are found; None for `count` modes
    """
    while True:
        n = count + max(LEAST_GUARDS, int(GUARDS * count))
        n_free = 3 * problem.n_nodes - len(problem.prescribed) - 6 * len(problem.means)
        if n > n_free:
            raise NotConverged(f"{n} modes are to be computed, but only {n_free} dofs are free")
        found = krylov(problem, inverse, n, say)
        values, fields, worst = corrected(problem, inverse, found, say)
        if limit is None or (values[-1] > limit and (values > limit).sum() >= 2):
            return values, fields, worst
        count = 2 * count
        say(f"{n} modes do not reach the limit: {count} are computed")
