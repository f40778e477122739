/* The grades of a class: a wrong index.

   right: geometry mean 64.8
   wrong: geometry mean 67.0 */
#include <stdio.h>
#include <string.h>

#define STUDENTS 5
#define COURSES 4

static const char *const names[STUDENTS] = { "Ada", "Ben", "Cleo", "Dan", "Eve" };
static const char *const courses[COURSES] = { "algebra", "biology", "chemistry", "geometry" };

static int points[STUDENTS][COURSES] = {
    { 91, 68, 85, 74 },
    { 55, 72, 60, 49 },
    { 78, 88, 93, 81 },
    { 64, 59, 71, 58 },
    { 83, 95, 49, 62 },
};

static double student_mean(int student)
{
    int sum = 0;
    for (int c = 0; c < COURSES; c++)
        sum += points[student][c];
    return (double)sum / COURSES;
}

static char letter(double mean)
{
    if (mean >= 85)
        return 'A';
    if (mean >= 75)
        return 'B';
    if (mean >= 60)
        return 'C';
    return 'D';
}

static double course_mean(int course)
{
    double sum = 0;
    for (int s = 0; s < STUDENTS; s++)
        sum += points[course][s];               /* BUG: rows are students */
    return sum / STUDENTS;
}

static int best_of(int course)
{
    int best = 0;
    for (int s = 1; s < STUDENTS; s++)
        if (points[s][course] > points[best][course])
            best = s;
    return best;
}

static void print_students(void)
{
    for (int s = 0; s < STUDENTS; s++) {
        double mean = student_mean(s);
        printf("%-6s %6.2f  %c", names[s], mean, letter(mean));
        if (mean == 0)
            printf("  absent");
        putchar('\n');
    }
}

static void print_histogram(void)
{
    int tens[10] = { 0 };
    for (int s = 0; s < STUDENTS; s++)
        for (int c = 0; c < COURSES; c++)
            tens[points[s][c] / 10]++;
    for (int t = 4; t < 10; t++) {
        char bar[STUDENTS * COURSES + 1];
        memset(bar, '*', tens[t]);
        bar[tens[t]] = 0;
        printf("%d-%d %s\n", t * 10, t * 10 + 9, bar);
    }
}

static void print_best(void)
{
    for (int c = 0; c < COURSES; c++) {
        int s = best_of(c);
        printf("best in %s: %s, %d\n", courses[c], names[s], points[s][c]);
    }
}

static void print_courses(void)
{
    for (int c = 0; c < COURSES; c++)
        printf("%s mean %.1f\n", courses[c], course_mean(c));
}

int main(void)
{
    print_students();
    print_histogram();
    print_best();
    print_courses();
    return 0;
}
