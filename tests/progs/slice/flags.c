/* Who may read which file: a wrong operator.

   right: guest may read 2 files
   wrong: guest may read 5 files */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ = 4, WRITE = 2, EXECUTE = 1 };

typedef struct file {
    char name[16];
    unsigned owner_id;
    unsigned mode;              /* as chmod has it */
} file_t;

typedef struct user {
    const char *name;
    unsigned id;
    unsigned groups;
} user_t;

static const char listing[] =
    "notes.txt 100 640\n"
    "readme 100 644\n"
    "secret.key 0 600\n"
    "tool 0 755\n"
    "plans.odt 101 660\n";

static file_t files[8];
static int n_files;

static void parse(const char *text)
{
    while (*text != '\0') {
        char line[64];
        size_t length = strcspn(text, "\n");
        char *rest;
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        char *name = strtok_r(line, " ", &rest);
        char *owner = strtok_r(NULL, " ", &rest);
        char *mode = strtok_r(NULL, " ", &rest);
        if (name == NULL || owner == NULL || mode == NULL)
            exit(1);
        file_t *f = &files[n_files++];
        strncpy(f->name, name, sizeof f->name - 1);
        f->owner_id = (unsigned)strtoul(owner, NULL, 10);
        f->mode = (unsigned)strtoul(mode, NULL, 8);
        text += length + (text[length] == '\n');
    }
}

static unsigned bits_for(const file_t *f, const user_t *u)
{
    if (f->owner_id == u->id)
        return f->mode >> 6 & 7;
    if (u->groups & 1u << (f->owner_id % 8))
        return f->mode >> 3 & 7;
    return f->mode & 7;
}

static int may(const file_t *f, const user_t *u, unsigned wanted)
{
    unsigned bits = bits_for(f, u);
    return (bits | wanted) != 0;                        /* BUG: & */
}

static int count(const user_t *u, unsigned wanted)
{
    int n = 0;
    for (int i = 0; i < n_files; i++)
        if (may(&files[i], u, wanted))
            n++;
    return n;
}

int main(void)
{
    static const user_t users[] = { { "anna", 100, 1u << 5 }, { "guest", 900, 0 } };
    parse(listing);
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
        printf("%s may write %d files\n", users[i].name, count(&users[i], WRITE));
        printf("%s may read %d files\n", users[i].name, count(&users[i], READ));
    }
    return 0;
}
