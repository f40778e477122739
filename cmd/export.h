
/*--------------------------------------------------------------------*/
/*--- Graphs for other programs.                          export.h ---*/
/*--------------------------------------------------------------------*/
/*--- Numbers for keys.                                   keymap.c ---*/

#ifndef DCFG_CMD_EXPORT_H
#define DCFG_CMD_EXPORT_H

#include "code.h"
#include "select.h"

/* What the parts of dcfg export get. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;             // = g.p
      Code*              code;
      const bool*        chosen;        // by image: those whose file is there
      Selection*         selected;      // of them, what is meant
      uint32_t           thread;
      FILE*              out;
      const char*        out_name;      // how commands that follow name it
   }
   Export;

/* Branches and straight code of one file, for what optimises that.  Says on
   stderr what was left out, and which command comes next. */
void export_bolt(const Export* x);
void export_profgen(const Export* x);

#endif /* DCFG_CMD_EXPORT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
