"""The inverse of the interior stiffness: a factor of MUMPS, or conjugate gradients with multigrid.

Means of sets and pinned dofs are a border of the definite dofs a:

    [A  B ] [u_a]   [f_a]        S = D - B' A^-1 B,   S z = f_z - B' A^-1 f_a,   u_a = A^-1 f_a - A^-1 B z
    [B' D ] [ z ] = [f_z]
"""

import numpy as np
from petsc4py import PETSc

#: Residual of a solution, relative to its forces, at which it is not corrected any more.
REFINED = {"mumps": 1e-14, "cg": 1e-11}
#: Relative residual of a correction by conjugate gradients.
CORRECTION = 1e-3
#: Most corrections of a solution.
MAX_CORRECTIONS = 4
#: Most iterations of conjugate gradients.
MAX_ITERATIONS = 500
#: Columns that a factor solves together.
GROUP = 32
#: Smallest eigenvalue of the scaled S over the largest.
SMALLEST_PIVOT = 1e-13


class NotConverged(Exception):
    """An iteration did not converge, or a factorisation failed."""


def cholesky(matrix, comm, is_indefinite):
    """A factor by MUMPS."""
    ksp = PETSc.KSP().create(comm)
    ksp.setOperators(matrix)
    ksp.setType(PETSc.KSP.Type.PREONLY)
    pc = ksp.getPC()
    pc.setType(PETSc.PC.Type.CHOLESKY)
    pc.setFactorSolverType("mumps")
    pc.setFactorSetUpSolverType()
    factor = pc.getFactorMatrix()
    if is_indefinite:
        # No parallel factorisation of the root, whose signs are not known; null pivots are reported.
        factor.setMumpsIcntl(13, 1)
        factor.setMumpsIcntl(24, 1)
    ksp.setFromOptions()
    try:
        ksp.setUp()
    except PETSc.Error as error:
        raise NotConverged(f"MUMPS failed ({error}): more ranks or nodes have more memory, and --solver cg "
                           "needs less") from error
    if factor.getMumpsInfog(1) < 0:
        raise NotConverged(f"MUMPS failed (INFOG(1) = {factor.getMumpsInfog(1)}): more ranks or nodes have "
                           "more memory, and --solver cg needs less")
    return ksp


def multigrid(problem, matrix, dofs, tolerance):
    """Conjugate gradients with algebraic multigrid.

    * `dofs` -- the decoupled dofs
    """
    matrix.setNearNullSpace(problem.rigid_motions(dofs))
    ksp = PETSc.KSP().create(problem.comm)
    ksp.setOperators(matrix)
    ksp.setType(PETSc.KSP.Type.CG)
    ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
    ksp.setTolerances(rtol=tolerance, atol=0.0, max_it=MAX_ITERATIONS)
    ksp.getPC().setType(PETSc.PC.Type.GAMG)
    ksp.setFromOptions()
    ksp.setUp()
    return ksp


class Definite:
    """The inverse on the definite dofs; the dofs that are decoupled must have no forces."""

    def __init__(self, problem, method, ksp, tolerance=0.0):
        self.problem, self.method, self.ksp, self.tolerance = problem, method, ksp, tolerance
        self.most_iterations = 0

    def solve(self, b, x):
        """A vector."""
        self.ksp.solve(b, x)
        self.most_iterations = max(self.most_iterations, self.ksp.getIterationNumber())
        reason = self.ksp.getConvergedReason()
        if reason < 0 and self.method == "mumps":
            raise NotConverged("the solution with the factor failed")
        if reason < 0:
            n = self.ksp.getIterationNumber()
            raise NotConverged(f"conjugate gradients stopped after {n} iterations (reason {reason}): use a "
                               "larger --tolerance, --solver mumps, or hold the body at a larger part of it")

    def set_rough(self, is_rough):
        """Solutions are corrections, for which few digits are enough."""
        if self.method == "cg":
            self.ksp.setTolerances(rtol=CORRECTION if is_rough else self.tolerance)

    def solve_fields(self, fields):
        """Local rows of fields, in place."""
        problem, n = self.problem, fields.shape[1]
        if self.method == "mumps" and n > 1:
            for first in range(0, n, GROUP):
                own = fields[:, first:first + GROUP]
                sizes = (problem.nodes.sizes, (PETSc.DECIDE, own.shape[1]))
                copied, comm = own.copy(order="F"), problem.comm
                right = PETSc.Mat().createDense(sizes, array=copied, comm=comm)
                result = PETSc.Mat().createDense(sizes, comm=comm)
                result.setUp()
                for matrix in (right, result):
                    matrix.assemble()
                self.ksp.getPC().getFactorMatrix().matSolve(right, result)
                own[:] = result.getDenseArray(readonly=True)
                right.destroy()
                result.destroy()
            return fields
        x = problem.vector()
        for k in range(n):
            b = problem.vector(np.ascontiguousarray(fields[:, k]))
            self.solve(b, x)
            fields[:, k] = x.getArray(readonly=True)
            b.destroy()
        return fields


class Border:
    """The border of a matrix K - shift M."""

    def __init__(self, problem, stiffness_columns, mass_columns, shift, definite):
        self.problem, self.definite = problem, definite
        pins = problem.pins
        n_pins = len(pins)
        parts = [stiffness_columns - shift * mass_columns if shift else stiffness_columns]
        parts += [problem.spread(marker, marker["mean"]) for marker in problem.means]
        coupling = np.asfortranarray(np.hstack(parts))
        problem.clear(coupling, problem.prescribed)
        n = coupling.shape[1]
        # Rows of the pins.
        own = problem.gram(problem.units(pins), coupling)
        own_matrix = np.zeros((n, n))
        own_matrix[:n_pins] = own
        own_matrix[:, :n_pins] = own.T
        self.coupling = problem.clear(coupling, pins)
        self.response = definite.solve_fields(self.coupling.copy(order="F"))
        eliminated = problem.gram(self.coupling, self.response)
        schur = own_matrix - eliminated
        schur = 0.5 * (schur + schur.T)
        size = np.where(np.arange(n) < n_pins, np.abs(np.diag(own_matrix)), np.abs(np.diag(eliminated)))
        self.scale = 1.0 / np.sqrt(size)
        self.values, self.vectors = np.linalg.eigh(self.scale[:, None] * schur * self.scale)
        pivot = np.abs(self.values).min() / np.abs(self.values).max()
        if not pivot > SMALLEST_PIVOT:
            raise NotConverged("the means of sets leave motions free, or the shift is an eigenvalue (pivot "
                               f"{pivot:.1e})")

    @property
    def n_negative(self):
        """Negative eigenvalues of S."""
        return int((self.values < 0.0).sum())

    def solve(self, fields, sums):
        """Local rows of fields, in place, with values of the means, constraints x fields."""
        problem, pins = self.problem, self.problem.pins
        rows, places = problem.nodes.rows(pins)
        at_pins = np.zeros((len(pins), fields.shape[1]))
        at_pins[places] = fields[rows]
        at_pins = problem.comm.tompi4py().allreduce(at_pins)
        problem.clear(fields, pins)
        self.definite.solve_fields(fields)
        right = np.vstack([at_pins, sums]) - problem.gram(self.coupling, fields)
        right = self.vectors.T @ (self.scale[:, None] * right)
        z = self.scale[:, None] * (self.vectors @ (right / self.values[:, None]))
        fields -= self.response @ z
        fields[rows] = z[places]
        return fields


class Inverse:
    """The inverse of the interior stiffness with fixed means of sets.

    The matrices of the problem are decoupled from their prescribed dofs by it.
    """

    def __init__(self, problem, method, tolerance):
        self.problem = problem
        pins = problem.units(problem.pins)
        self.pin_columns = [problem.product(matrix, pins) for matrix in (problem.stiffness, problem.mass)]
        problem.border_columns = self.pin_columns
        problem.decoupled(problem.stiffness, problem.prescribed)
        problem.decoupled(problem.mass, problem.prescribed)
        matrix, dofs = problem.stiffness, problem.prescribed
        if len(problem.pins):
            dofs = np.concatenate([dofs, problem.pins])
            matrix = problem.decoupled(matrix.copy(), problem.pins)
        if method == "mumps":
            ksp = cholesky(matrix, problem.comm, False)
        else:
            ksp = multigrid(problem, matrix, dofs, tolerance)
        self.definite = Definite(problem, method, ksp, tolerance)
        self.border = Border(problem, *self.pin_columns, 0.0, self.definite) if problem.means else None

    def described(self):
        """The size of the factor, or of multigrid."""
        if self.definite.method == "mumps":
            factor = self.definite.ksp.getPC().getFactorMatrix()
            entries = factor.getMumpsInfog(29)
            entries = -1e6 * entries if entries < 0 else entries
            return f"{entries:.3e} entries of the factor"
        return f"{self.definite.ksp.getPC().getMGLevels()} levels of multigrid"

    def iterations(self):
        """Words about the iterations so far."""
        most = self.definite.most_iterations
        return f", at most {most} iterations" if self.definite.method == "cg" else ""

    def destroy(self):
        """Frees the factor."""
        self.definite.ksp.destroy()

    def solve_fields(self, fields, sums=None):
        """Solves K u + W' l = f, W u = g for local rows of fields, in place."""
        if self.border is None:
            return self.definite.solve_fields(fields)
        if sums is None:
            sums = np.zeros((6 * len(self.problem.means), fields.shape[1]))
        return self.border.solve(fields, sums)

    def corrections(self, residuals, sums):
        """Corrections of solutions from their residuals, in place."""
        self.definite.set_rough(True)
        self.solve_fields(residuals, sums)
        self.definite.set_rough(False)
        return residuals

    def residual(self, forces, fields):
        """f - K u without the forces on means."""
        left = forces - self.problem.product(self.problem.stiffness, fields)
        self.problem.clear(left, self.problem.prescribed)
        return self.without_reactions(left)

    def without_reactions(self, forces):
        """Removes W' n with n = R' f of each averaged set."""
        for marker in self.problem.means:
            rigid, mean = (self.problem.spread(marker, marker[key]) for key in ("rigid", "mean"))
            forces -= mean @ self.problem.gram(rigid, forces)
        return forces

    def sums_of(self, fields):
        """W u."""
        problem = self.problem
        if not problem.means:
            return np.zeros((0, fields.shape[1]))
        return np.vstack([problem.gram(problem.spread(m, m["mean"]), fields) for m in problem.means])

    def solve_refined(self, forces, sums, say):
        """Solutions with iterative refinement, and their largest residual relative to the forces."""
        fields, n, largest = forces.copy(order="F"), forces.shape[1], 0.0
        for first in range(0, n, GROUP):
            group = slice(first, first + GROUP)
            own = fields[:, group]
            own[:] = self.solve_fields(own.copy(order="F"), sums[:, group])
            last = np.inf
            for _ in range(MAX_CORRECTIONS):
                left = self.residual(forces[:, group], own)
                size = norms(self.problem, forces[:, group])
                # Columns of means have no forces: those of their reactions count.
                reactions = norms(self.problem, self.problem.product(self.problem.stiffness, own))
                size = np.where(size > 0, size, reactions)
                worst = float((norms(self.problem, left) / size).max())
                if not np.isfinite(worst):
                    raise NotConverged("a static solution is not finite: the interior is not held")
                if worst <= REFINED[self.definite.method] or worst > 0.5 * last:
                    break
                last = worst
                own += self.corrections(left, sums[:, group] - self.sums_of(own))
            say(f"{min(first + GROUP, n)} of {n} static solutions, residual {worst:.1e}{self.iterations()}")
            largest = max(largest, worst)
        return fields, largest


def norms(problem, fields):
    """Euclidean norm of each field."""
    return np.sqrt(problem.comm.tompi4py().allreduce((fields ** 2).sum(axis=0)))


def inertia_below(problem, shift):
    """Number of eigenvalues of the interior below a shift, by the signs of a factor of K - shift M."""
    matrix = problem.stiffness.copy()
    matrix.axpy(-shift, problem.mass, structure=PETSc.Mat.Structure.SUBSET_NONZERO_PATTERN)
    dofs = problem.prescribed
    if len(problem.pins):
        problem.decoupled(matrix, problem.pins)
        dofs = np.concatenate([dofs, problem.pins])
    matrix.setOption(PETSc.Mat.Option.SPD, False)
    matrix.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    # Prescribed dofs are decoupled: their diagonal becomes positive and does not count.
    diagonal = matrix.getDiagonal()
    rows, _ = problem.nodes.rows(dofs)
    diagonal.getArray()[rows] = np.abs(diagonal.getArray()[rows])
    matrix.setDiagonal(diagonal)
    ksp = cholesky(matrix, problem.comm, True)
    negative, zero, _ = ksp.getPC().getFactorMatrix().getInertia()
    if zero:
        raise NotConverged(f"{zero} pivots vanish in the inertia count: request one mode more with --modes")
    if problem.means:
        definite = Definite(problem, "mumps", ksp)
        border = Border(problem, *problem.border_columns, shift, definite)
        negative += border.n_negative - 6 * len(problem.means)
    ksp.destroy()
    return int(negative)
