// Distances in a table that is multiplied: a loop over the wrong number.
//
// right: norm 39
// wrong: norm 27
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

template <typename T> class Matrix {
public:
    Matrix(int rows, int columns) : rows_(rows), columns_(columns), cells_(rows * columns) {}
    int rows() const { return rows_; }
    int columns() const { return columns_; }
    T &operator()(int r, int c) { return cells_.at(r * columns_ + c); }
    const T &operator()(int r, int c) const { return cells_.at(r * columns_ + c); }

private:
    int rows_, columns_;
    std::vector<T> cells_;
};

template <typename T> Matrix<T> operator*(const Matrix<T> &a, const Matrix<T> &b)
{
    if (a.columns() != b.rows())
        throw std::invalid_argument("shapes");
    Matrix<T> product(a.rows(), b.columns());
    for (int r = 0; r < a.rows(); r++)
        for (int c = 0; c < b.columns(); c++) {
            T sum = 0;
            for (int k = 0; k < a.rows(); k++)          // BUG: a.columns()
                sum += a(r, k) * b(k, c);
            product(r, c) = sum;
        }
    return product;
}

template <typename T> T norm(const Matrix<T> &m)
{
    T largest = 0;
    for (int r = 0; r < m.rows(); r++) {
        T sum = 0;
        for (int c = 0; c < m.columns(); c++)
            sum += std::abs(m(r, c));
        if (sum > largest)
            largest = sum;
    }
    return largest;
}

static void fill(Matrix<double> &m, const char *text)
{
    char *end = nullptr;
    for (int r = 0; r < m.rows(); r++)
        for (int c = 0; c < m.columns(); c++) {
            m(r, c) = std::strtod(text, &end);
            text = end;
        }
}

int main()
{
    Matrix<double> a(2, 3), b(3, 2);
    fill(a, "1 2 3 4 5 2");
    fill(b, "2 1 0 3 2.5 3.5");
    std::printf("norm of a %g\n", norm(a));
    std::printf("norm of b %g\n", norm(b));
    std::printf("norm %g\n", norm(a * b));
    return 0;
}
