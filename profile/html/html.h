/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html.h: a profile as a page: one HTML file that holds everything and asks for nothing.
 */
#ifndef TENURE_PROFILE_HTML_H
#define TENURE_PROFILE_HTML_H

#include "profile/profile.h"

/* The page's program and looks, bundled from page/, with the base64 of their SHA-256. */
struct tp_page_asset {
    const unsigned char *script;
    size_t script_size;
    const char *script_hash;
    const unsigned char *style;
    size_t style_size;
    const char *style_hash;
};

struct tp_html_options {
    const struct tp_page_asset *asset;
    const char *title;    /* UTF-8, any characters */
    bool no_source;       /* leave source text out */
    bool source_anywhere; /* read it of any file (profile/objects/source.h) */
    bool sides;           /* the profile is a difference with both its sides (tp_diff_open) */
    bool advised;         /* tables of advice (advice.h) are there, and are taken as they are */
    void (*progress)(const char *stage, uint64_t done, uint64_t total); /* as tp_progress; NULL: nobody asks */
};

struct tp_html_result {
    uint64_t files, found; /* source files that costs are on, and those whose text is in the page */
    uint64_t refused;      /* files that are there, but whose text is not read (profile/objects/source.h) */
};

/* How each page begins. */
#define TP_HTML_MARK                                                                                                   \
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"                                         \
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"

int tp_html_write(tp_profile *profile, FILE *out, const struct tp_html_options *options,
                  struct tp_html_result *result, struct tp_error *err);

#endif
