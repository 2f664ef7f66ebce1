"""Factorizations of arrays that NumPy does not have: LU with row exchanges, and what is solved with triangular matrices.

They work on batches: the loops are over the rows of one matrix, as many as it has.
"""

from __future__ import annotations

from typing import Any

from ..core.array import array_module


def by_columns(data: Any) -> Any:
    """Matrices whose columns lie in memory one after another, as LAPACK leaves its results and PyTorch returns them."""
    return array_module(data).ascontiguousarray(data.swapaxes(-1, -2)).swapaxes(-1, -2)


def lu_factor(data: Any) -> tuple[Any, Any, Any]:
    """(LU, pivots, info) of matrices, as LAPACK's ``getrf`` gives them.

    Returns
    -------
    LU : array, shape (..., m, n)
        L below the diagonal (its own is 1), U on and above it.
    pivots : array of int32, shape (..., min(m, n))
        The row, counted from 1, that each row was exchanged with.
    info : array of int32, shape (...)
        0, or which diagonal element of U, counted from 1, is the first that is 0.
    """
    xp = array_module(data)
    lu = by_columns(data.copy())
    m, n = data.shape[-2:]
    batch = data.shape[:-2]
    steps = min(m, n)
    pivots = xp.zeros((*batch, steps), "int32")
    info = xp.zeros(batch, "int32")
    for k in range(steps):
        best = k + xp.abs(lu[..., k:, k]).argmax(axis=-1)
        pivots[..., k] = best + 1
        place = xp.expand_dims(xp.expand_dims(best, -1), -1)
        row, other = lu[..., k, :].copy(), xp.take_along_axis(lu, xp.broadcast_to(place, (*batch, 1, n)), -2)
        xp.put_along_axis(lu, xp.broadcast_to(place, (*batch, 1, n)), row[..., None, :], -2)
        lu[..., k, :] = other[..., 0, :]
        pivot = lu[..., k, k]
        info[...] = xp.where((info == 0) & (pivot == 0), k + 1, info)
        lu[..., k + 1 :, k] /= xp.where(pivot == 0, 1, pivot)[..., None]
        lu[..., k + 1 :, k + 1 :] -= lu[..., k + 1 :, k, None] * lu[..., None, k, k + 1 :]
    return lu, pivots, info


def exchanged_rows(pivots: Any, rows: int) -> Any:
    """The order of the rows that the exchanges of an LU factorization lead to."""
    xp = array_module(pivots)
    order = xp.broadcast_to(xp.arange(rows), (*pivots.shape[:-1], rows)).copy()
    for k in range(pivots.shape[-1]):
        place = pivots[..., k, None].astype("int64") - 1
        mine, other = order[..., k].copy(), xp.take_along_axis(order, place, -1)
        xp.put_along_axis(order, place, mine[..., None], -1)
        order[..., k] = other[..., 0]
    return order


def solve_triangle(triangle: Any, b: Any, upper: bool, unit: bool = False) -> Any:
    """x with ``triangle @ x == b``, row after row; the other half of the matrix is not looked at."""
    xp = array_module(triangle)
    batch = xp.broadcast_shapes(triangle.shape[:-2], b.shape[:-2])
    found = xp.broadcast_to(b, (*batch, *b.shape[-2:])).copy()
    n = triangle.shape[-1]
    for i in range(n - 1, -1, -1) if upper else range(n):
        known = slice(i + 1, n) if upper else slice(0, i)
        found[..., i, :] -= (triangle[..., i, None, known] @ found[..., known, :])[..., 0, :]
        if not unit:
            found[..., i, :] /= triangle[..., i, i, None]
    return found


def lu_solve(lu: Any, pivots: Any, b: Any, adjoint: bool = False) -> Any:
    """x with ``A @ x == b`` from the LU factorization of A, or with ``A.T @ x == b``."""
    xp = array_module(lu)
    order = exchanged_rows(pivots, lu.shape[-1])[..., None]
    if not adjoint:
        batch = xp.broadcast_shapes(lu.shape[:-2], b.shape[:-2])
        b = xp.take_along_axis(
            xp.broadcast_to(b, (*batch, *b.shape[-2:])), xp.broadcast_to(order, (*batch, *order.shape[-2:])), -2
        )
        return solve_triangle(lu, solve_triangle(lu, b, False, unit=True), True)
    turned = lu.swapaxes(-1, -2)
    found = solve_triangle(turned, solve_triangle(turned, b, False), True, unit=True)
    back = xp.empty_like(found)
    xp.put_along_axis(back, xp.broadcast_to(order, (*found.shape[:-1], 1)), found, -2)
    return back
