package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Linear algebra that is said in factorizations and products of {@link MatrixFactors}, {@link MatrixSpectra} and
 * {@link MatrixInverses}.
 */
public final class LinearAlgebra implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        factors(r);
        spectra(r);
        solutions(r);
        products(r);
        norms(r);
    }

    private static void factors(Registrar r) {
        r.composite("aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)", """
            LU, pivots, info = torch.linalg_lu_factor_ex(A, pivot=pivot, check_errors=False)
            return (LU, pivots)""");
        r.composite("aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", """
            LU, pivots, info = torch.linalg_lu_factor_ex(A, pivot=pivot, check_errors=False)
            P, L, U = torch.lu_unpack(LU, pivots)
            return (P, L, U)""");
        r.composite("aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)", """
            LD, pivots, info = torch.linalg_ldl_factor_ex(self, hermitian=hermitian, check_errors=True)
            return (LD, pivots)""");
        r.composite("aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor", """
            L, info = torch.linalg_cholesky_ex(self, upper=upper, check_errors=True)
            return L""");
        r.composite("aten::cholesky(Tensor self, bool upper=False) -> Tensor", """
            return torch.linalg_cholesky(self, upper=upper)""");
        r.composite("aten::qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)", """
            if some:
              mode = "reduced"
            else:
              mode = "complete"
            Q, R = torch.linalg_qr(self, mode)
            return (Q, R)""");
        r.composite(
                "aten::orgqr(Tensor self, Tensor input2) -> Tensor",
                "return torch.linalg_householder_product(self, input2)");
        r.composite("aten::matrix_exp(Tensor self) -> Tensor", "return torch.linalg_matrix_exp(self)");
    }

    private static void spectra(Registrar r) {
        r.composite("aten::linalg_eigvalsh(Tensor self, str UPLO='L') -> Tensor", """
            values, vectors = torch.linalg_eigh(self, UPLO)
            return values""");
        r.composite("aten::linalg_eigvals(Tensor self) -> Tensor", """
            values, vectors = torch.linalg_eig(self)
            return values""");
        r.composite(
                "aten::symeig(Tensor self, bool eigenvectors=False, bool upper=True) -> (Tensor eigenvalues, Tensor "
                        + "eigenvectors)",
                """
            if upper:
              UPLO = "U"
            else:
              UPLO = "L"
            values, vectors = torch.linalg_eigh(self, UPLO)
            if eigenvectors:
              shown = vectors
            else:
              shown = torch.new_empty(self, [0])
            return (values, shown)""");
        r.composite("aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor", """
            U, S, Vh = torch.linalg_svd(A, False)
            return S""");
        r.composite(
                "aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)", """
            U, S, Vh = torch.linalg_svd(self, torch.__not__(some))
            V = torch.adjoint(Vh)
            if compute_uv:
              left, right = U, V
            else:
              left, right = torch.zeros_like(U), torch.zeros_like(V)
            return (left, S, right)""");
        r.composite("aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor", """
            if torch.__is__(p, None):
              order = 2.
            else:
              order = float(unchecked_cast(number, p))
            if torch.eq(abs(order), 2.):
              S = torch.linalg_svdvals(self)
              largest = torch.select(S, -1, 0)
              least = torch.select(S, -1, -1)
              if torch.gt(order, 0.):
                result = torch.div(largest, least)
              else:
                result = torch.div(least, largest)
            else:
              inverse = torch.linalg_inv(self)
              result = torch.mul(torch.linalg_matrix_norm(self, order), torch.linalg_matrix_norm(inverse, order))
            return result""");
        r.composite("aten::linalg_cond.p_str(Tensor self, str p) -> Tensor", """
            inverse = torch.linalg_inv(self)
            return torch.mul(torch.linalg_matrix_norm(self, p), torch.linalg_matrix_norm(inverse, p))""");
        r.composite("aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)", """
            sign, logabsdet = torch.linalg_slogdet(self)
            return (sign, logabsdet)""");
        r.composite("aten::logdet(Tensor self) -> Tensor", "return torch.log(torch.linalg_det(self))");
    }

    private static void solutions(Registrar r) {
        r.composite(
                "aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
                "return torch.linalg_lu_solve(LU_data, LU_pivots, self)");
        r.composite("aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor", """
            if upper:
              L = torch.adjoint(input2)
            else:
              L = input2
            half = torch.linalg_solve_triangular(L, self, upper=False)
            return torch.linalg_solve_triangular(torch.adjoint(L), half, upper=True)""");
        r.composite("aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor", """
            unit = torch.eye(torch.size(self, -1), dtype=ops.prim.dtype(self))
            return torch.cholesky_solve(torch.expand_as(unit, self), self, upper)""");
        r.composite(
                "aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool "
                        + "unitriangular=False) "
                        + "-> (Tensor solution, Tensor cloned_coefficient)",
                """
            if transpose:
              solution = torch.linalg_solve_triangular(torch.transpose(A, -2, -1), self, upper=torch.__not__(upper), \
            unitriangular=unitriangular)
            else:
              solution = torch.linalg_solve_triangular(A, self, upper=upper, unitriangular=unitriangular)
            return (solution, torch.clone(A))""");
        r.composite(
                "aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor "
                        + "result, Tensor info)",
                """
            if torch.ne(torch.size(A, -2), torch.size(A, -1)):
              ops.prim.RaiseException(torch.format("linalg.solve: A of sizes {} (expected: square matrices)", \
            torch.size(A)))
            else:
              pass
            shape = torch.slice(torch.size(A), None, -1)
            vectors = torch.__or__(torch.eq(torch.dim(B), 1), torch.eq(torch.size(B), shape))
            if torch.__or__(vectors, torch.__not__(left)):
              rows = torch.size(B, -1)
            else:
              rows = torch.size(B, -2)
            if torch.ne(rows, torch.size(A, -1)):
              ops.prim.RaiseException(torch.format("linalg.solve: B of sizes {} (expected: {} numbers for each \
            unknown, as A has)", torch.size(B), torch.size(A, -1)))
            else:
              pass
            LU, pivots, info = torch.linalg_lu_factor_ex(A, check_errors=check_errors)
            if vectors:
              right = torch.unsqueeze(B, -1)
            else:
              right = B
            solved = torch.linalg_lu_solve(LU, pivots, right, left=left)
            if vectors:
              result = torch.squeeze(solved, -1)
            else:
              result = solved
            return (result, info)""");
        r.composite("aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", """
            LU, pivots, info = torch.linalg_lu_factor_ex(A, check_errors=check_errors)
            unit = torch.expand_as(torch.eye(torch.size(A, -1), dtype=ops.prim.dtype(A)), A)
            return (torch.linalg_lu_solve(LU, pivots, unit), info)""");
        r.composite(
                "aten::pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor",
                "return torch.linalg_pinv(self, rcond, False)");
        r.composite("aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor", """
            sizes = torch.size(self)
            first = torch.slice(sizes, None, ind, 1)
            rest = torch.slice(sizes, ind, None, 1)
            count = 1
            for i in range(torch.len(rest)):
              count = torch.mul(count, rest[i])
            inverse = torch.linalg_inv(torch.reshape(self, [-1, count]))
            return torch.reshape(inverse, torch.add(rest, first))""");
        r.composite("aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor", """
            rank = torch.dim(self)
            order = annotate(List[int], [])
            moved = annotate(List[int], [])
            if torch.__isnot__(dims, None):
              given = unchecked_cast(List[int], dims)
              for i in range(torch.len(given)):
                _0 = torch.append(moved, torch.remainder(torch.add(given[i], rank), rank))
            else:
              _1 = annotate(List[int], [])
            for i in range(rank):
              if torch.__not__(torch.__contains__(moved, i)):
                _2 = torch.append(order, i)
              else:
                _3 = 0
            for i in range(torch.len(moved)):
              _4 = torch.append(order, moved[i])
            turned = torch.permute(self, order)
            shape = torch.slice(torch.size(turned), torch.dim(other), None, 1)
            count = 1
            for i in range(torch.len(shape)):
              count = torch.mul(count, shape[i])
            solved = torch.linalg_solve(torch.reshape(turned, [-1, count]), torch.reshape(other, [-1]))
            return torch.reshape(solved, shape)""");
    }

    private static void products(Registrar r) {
        r.composite("aten::linalg_matmul(Tensor self, Tensor other) -> Tensor", "return torch.matmul(self, other)");
        r.composite(
                "aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
                "return torch.sum(torch.mul(torch.conj(x), y), [dim])");
        String chain = """
            for k in range(torch.len(tensors)):
              if torch.gt(torch.dim(tensors[k]), 2):
                ops.prim.RaiseException(torch.format("multi_dot(): the first and the last tensor must be 1D or 2D, \
                those between 2D, but got {}D", torch.dim(tensors[k])))
            product = tensors[0]
            for i in range(torch.sub(torch.len(tensors), 1)):
              product = torch.matmul(product, tensors[torch.add(i, 1)])
            return product""";
        r.composite("aten::linalg_multi_dot(Tensor[] tensors) -> Tensor", chain);
        r.composite(
                "aten::chain_matmul(Tensor[] matrices) -> Tensor",
                chain.replace("tensors", "matrices"),
                OperatorTrait.SHARES_ONE);
        r.composite("aten::linalg_matrix_power(Tensor self, int n) -> Tensor", """
            unit = torch.eye(torch.size(self, -1), dtype=ops.prim.dtype(self))
            power = torch.clone(torch.expand_as(unit, self), memory_format=0)
            if torch.lt(n, 0):
              base = torch.linalg_inv(self)
              count = torch.neg(n)
            else:
              base = self
              count = n
            for i in range(count):
              power = torch.matmul(power, base)
            return power""");
        r.composite("aten::matrix_power(Tensor self, int n) -> Tensor", "return torch.linalg_matrix_power(self, n)");
        r.composite(
                "aten::linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)",
                "return torch.diagonal(A, offset, dim1, dim2)");
        r.composite("aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", """
            if torch.__is__(N, None):
              count = torch.size(x, -1)
            else:
              count = unchecked_cast(int, N)
            columns = annotate(List[Tensor], [])
            if torch.is_floating_point(x):
              numbers = x
            else:
              if torch.is_complex(x):
                numbers = x
              else:
                numbers = torch.to(x, 4)
            column = torch.ones_like(numbers)
            for i in range(count):
              _0 = torch.append(columns, column)
              column = torch.mul(column, numbers)
            if increasing:
              result = torch.stack(columns, -1)
            else:
              result = torch.flip(torch.stack(columns, -1), [-1])
            return result""");
        r.composite("aten::linalg_vander(Tensor x, *, int? N=None) -> Tensor", """
            if torch.eq(torch.dim(x), 0):
              vectors = torch.unsqueeze(x, -1)
            else:
              vectors = x
            if torch.__is__(N, None):
              count = torch.size(vectors, -1)
            else:
              count = unchecked_cast(int, N)
            if torch.le(count, 1):
              ops.prim.RaiseException(torch.format("N: {} (expected: > 1)", count))
            else:
              pass
            return torch.vander(vectors, count, True)""");
        for (String name : new String[] {"mH", "matrix_H"}) {
            String overload = ".a";
            String schema = "(Tensor(a) self) -> Tensor(a)";
            r.composite("aten::" + name + schema, "return torch.adjoint(self)");
            r.composite("aten::" + name + overload + schema, "return torch.adjoint(self)");
        }
        r.composite("aten::adjoint(Tensor(a) self) -> Tensor(a)", """
            if torch.eq(torch.dim(self), 0):
              turned = self
            else:
              turned = torch.transpose(self, -2, -1)
            return torch.conj(turned)""");
    }

    private static void norms(Registrar r) {
        r.composite(
                "aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, "
                        + "ScalarType? dtype=None) -> Tensor",
                """
            if torch.lt(torch.dim(self), 2):
              ops.prim.RaiseException("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
            if torch.__is__(dtype, None):
              A = self
            else:
              A = torch.to(self, unchecked_cast(int, dtype))
            order = float(ord)
            if torch.eq(abs(order), 2.):
              rows = torch.remainder(torch.add(dim[0], torch.dim(A)), torch.dim(A))
              columns = torch.remainder(torch.add(dim[1], torch.dim(A)), torch.dim(A))
              S = torch.linalg_svdvals(torch.movedim(A, [rows, columns], [-2, -1]))
              if torch.gt(order, 0.):
                norm = torch.amax(S, [-1])
              else:
                norm = torch.amin(S, [-1])
              if keepdim:
                if torch.lt(rows, columns):
                  result = torch.unsqueeze(torch.unsqueeze(norm, rows), columns)
                else:
                  result = torch.unsqueeze(torch.unsqueeze(norm, columns), rows)
              else:
                result = norm
            else:
              if torch.eq(abs(order), 1.):
                summed = dim[0]
                other = dim[1]
              else:
                summed = dim[1]
                other = dim[0]
              sums = torch.sum(torch.abs(A), [summed], True)
              if torch.gt(order, 0.):
                kept = torch.amax(sums, [other], True)
              else:
                kept = torch.amin(sums, [other], True)
              if keepdim:
                result = kept
              else:
                result = torch.sum(kept, dim)
            return result""");
        r.composite(
                "aten::linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], bool "
                        + "keepdim=False, *, ScalarType? dtype=None) "
                        + "-> Tensor",
                """
            if torch.__is__(dtype, None):
              A = self
            else:
              A = torch.to(self, unchecked_cast(int, dtype))
            if torch.eq(ord, "fro"):
              result = torch.linalg_vector_norm(A, 2, dim, keepdim)
            else:
              rows = torch.remainder(torch.add(dim[0], torch.dim(A)), torch.dim(A))
              columns = torch.remainder(torch.add(dim[1], torch.dim(A)), torch.dim(A))
              S = torch.linalg_svdvals(torch.movedim(A, [rows, columns], [-2, -1]))
              norm = torch.sum(S, [-1])
              if keepdim:
                if torch.lt(rows, columns):
                  result = torch.unsqueeze(torch.unsqueeze(norm, rows), columns)
                else:
                  result = torch.unsqueeze(torch.unsqueeze(norm, columns), rows)
              else:
                result = norm
            return result""");
        r.composite(
                "aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, "
                        + "ScalarType? dtype=None) -> Tensor",
                """
            if torch.__is__(dim, None):
              dims = [-2, -1]
            else:
              dims = unchecked_cast(List[int], dim)
            return torch.linalg_matrix_norm(self, ord, dims, keepdim, dtype=dtype)""");
        r.composite(
                "aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor",
                "return torch.linalg_matrix_norm(self, \"nuc\", [-2, -1], keepdim)");
        r.composite(
                "aten::nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor",
                "return torch.linalg_matrix_norm(self, \"nuc\", dim, keepdim)");
    }
}
