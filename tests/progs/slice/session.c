/* Sessions of a server: one that has ended is still used.

   right: bea has 30 credits
   wrong: bea has 8 credits */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct session {
    int id;
    int credits;
    char user[16];
    struct session *next;
} session;

typedef struct request {
    int kind;
    int length;
    char body[16];
    struct request *next;
} request;

static session *sessions;

static session *session_open(int id, const char *user, int credits)
{
    session *s = calloc(1, sizeof *s);
    s->id = id;
    s->credits = credits;
    strcpy(s->user, user);
    s->next = sessions;
    sessions = s;
    return s;
}

static session *session_find(int id)
{
    session *s = sessions;
    while (s && s->id != id)
        s = s->next;
    return s;
}

static void session_close(int id)
{
    for (session **at = &sessions; *at; at = &(*at)->next)
        if ((*at)->id == id) {
            session *gone = *at;
            *at = gone->next;
            free(gone);                         /* BUG: main() has a pointer */
            return;
        }
}

static request *request_new(int kind, const char *body)
{
    request *r = malloc(sizeof *r);
    r->kind = kind;
    r->length = (int)strlen(body);
    strncpy(r->body, body, sizeof r->body - 1);
    r->next = NULL;
    return r;
}

static int request_cost(const request *r)
{
    return r->kind == 1 ? 2 : r->length / 4;
}

static void charge(int id, const request *r)
{
    session *s = session_find(id);
    if (s)
        s->credits -= request_cost(r);
}

int main(void)
{
    session *ada = session_open(1, "ada", 10);
    session *bea = session_open(2, "bea", 30);
    request *first, *second;

    first = request_new(1, "list");
    charge(1, first);
    session_close(2);
    second = request_new(2, "get /all");
    charge(2, second);
    charge(1, second);
    printf("%s has %d credits\n", ada->user, ada->credits);
    printf("bea has %d credits\n", bea->credits);       /* BUG: her session has ended */
    free(first);
    free(second);
    return 0;
}
