/* blorc-denoise for GIMP 2.10: Filters > Enhance > Blorc Denoise.
 *
 * The plug-in writes the colours of the drawable as an uncompressed TIFF, runs the program blorc-denoise on it, and
 * merges the result as a shadow, so undo and selections work as with any filter. Samples pass in the depth of the image:
 * 8 bits, 16 bits or float. Opacity is not touched.
 *
 * Build and install: gimptool-2.0 --install blorc-denoise.c
 */
#define GLIB_DISABLE_DEPRECATION_WARNINGS /* in the headers of GTK 2 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <glib/gstdio.h>
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>
#ifdef G_OS_WIN32
#include <windows.h>
#else
#include <sys/wait.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define PROCEDURE "plug-in-blorc-denoise"
#define ROLE      "blorc-denoise"
#define SETTING   "blorc-denoise-program" /* in gimprc: the path of the program */

enum { NOISE_AUTO, NOISE_GIVEN, NOISE_CAMERA, NOISE_PHOTONS };
enum { QUALITY_FAST, QUALITY_BALANCED, QUALITY_BEST };

typedef struct {
  gint    noise;
  gdouble sigma;                    /* gray levels of 0-255 */
  gdouble gain, offset, read_noise; /* levels of the image; a gain of 0 means that the noise is found */
  gdouble strength, luma, chroma;   /* percent */
  gint    quality;
} Settings;

static const Settings defaults = { NOISE_AUTO, 15, 0, 0, 0, 100, 100, 100, QUALITY_BALANCED };

/* ---- temporary files ---- */

/* GIMP kills a plug-in that is cancelled. So that nothing stays then, these files lose their name as soon as they are open, and are
 * the standard input and output of the program. Windows has no files without a name: there the program gets the paths. */
typedef struct {
  gchar *path;
  gint   fd; /* -1 on Windows */
} Temp;

typedef struct {
  Temp in, out;
} Files;

static void
temp_open (Temp *t)
{
  t->path = gimp_temp_name ("tif");
  t->fd   = -1;
#ifndef G_OS_WIN32
  t->fd = g_open (t->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); /* if it fails, temp_write says so */
  if (t->fd >= 0)
    g_unlink (t->path);
#endif
}

static void
temp_close (Temp *t)
{
#ifdef G_OS_WIN32
  g_unlink (t->path);
#else
  if (t->fd >= 0)
    close (t->fd);
#endif
  g_free (t->path);
}

static FILE *
temp_write (Temp *t)
{
#ifdef G_OS_WIN32
  return g_fopen (t->path, "wb");
#else
  if (t->fd < 0)
    {
      g_free (t->path);
      temp_open (t);
    }
  if (t->fd < 0 || lseek (t->fd, 0, SEEK_SET) || ftruncate (t->fd, 0))
    return NULL;
  return fdopen (dup (t->fd), "wb");
#endif
}

static GMappedFile *
temp_read (const Temp *t, GError **error)
{
#ifdef G_OS_WIN32
  return g_mapped_file_new (t->path, FALSE, error);
#else
  return g_mapped_file_new_from_fd (t->fd, FALSE, error);
#endif
}

/* ---- samples ---- */

typedef struct {
  gint32   drawable;
  gint     width, height, channels;
  gboolean alpha;
  gint     bytes;             /* of a sample: 1, 2, or 4 for float */
  const Babl *colour, *whole; /* formats of the samples without and with opacity */
} Source;

static void
source_init (Source *s, gint32 image, gint32 drawable)
{
  GimpPrecision precision = gimp_image_get_precision (image);
  const Babl   *space     = gimp_drawable_get_format (drawable);
  gboolean      gray      = gimp_drawable_is_gray (drawable);
  const gchar  *type      = "float";
  gchar        *name;

  s->drawable = drawable;
  s->width    = gimp_drawable_width (drawable);
  s->height   = gimp_drawable_height (drawable);
  s->channels = gray ? 1 : 3;
  s->alpha    = gimp_drawable_has_alpha (drawable);
  s->bytes    = 4;
  if (precision == GIMP_PRECISION_U8_GAMMA || precision == GIMP_PRECISION_U8_LINEAR)
    s->bytes = 1, type = "u8";
  else if (precision == GIMP_PRECISION_U16_GAMMA || precision == GIMP_PRECISION_U16_LINEAR ||
           precision == GIMP_PRECISION_U32_GAMMA || precision == GIMP_PRECISION_U32_LINEAR)
    s->bytes = 2, type = "u16";

  /* Always with the gamma that a saved file has, and in the colour space of the image. */
  name = g_strdup_printf ("%s %s", gray ? "Y'" : "R'G'B'", type);
  s->colour = babl_format_with_space (name, space);
  g_free (name);
  name = g_strdup_printf ("%s %s", gray ? "Y'A" : "R'G'B'A", type);
  s->whole = s->alpha ? babl_format_with_space (name, space) : s->colour;
  g_free (name);
}

static gsize
row_bytes (const Source *s, gint width)
{
  return (gsize) width * s->channels * s->bytes;
}

static void
put (GByteArray *a, guint32 v, gint bytes)
{
  guint16 half = v;

  g_byte_array_append (a, bytes == 2 ? (guint8 *) &half : (guint8 *) &v, bytes);
}

static void
put_tag (GByteArray *a, guint tag, guint type, guint32 count, guint32 value)
{
  put (a, tag, 2);
  put (a, type, 2);
  put (a, count, 4);
  if (type == 3 && count == 1)
    { /* a short stands at the start of the field */
      put (a, value, 2);
      put (a, 0, 2);
    }
  else
    put (a, value, 4);
}

enum { TAGS = 11, IFD = 8, AFTER = IFD + 2 + 12 * TAGS + 4, PIXELS = AFTER + 16 };

/* Writes the colours of the drawable as an uncompressed TIFF of one strip, in the byte order of this machine. */
static gboolean
write_tiff (const Source *s, Temp *to, GError **error)
{
  GByteArray *head = g_byte_array_new ();
  GeglBuffer *buffer;
  FILE       *file;
  guint8     *rows;
  gboolean    ok;
  gint        y, i;
  guint64     size = (guint64) row_bytes (s, s->width) * s->height;

  if (size > G_MAXUINT32 - PIXELS)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "the image is too large for a TIFF file");
      g_byte_array_free (head, TRUE);
      return FALSE;
    }
  g_byte_array_append (head, (const guint8 *) (G_BYTE_ORDER == G_LITTLE_ENDIAN ? "II" : "MM"), 2);
  put (head, 42, 2);
  put (head, IFD, 4);
  put (head, TAGS, 2);
  put_tag (head, 256, 4, 1, s->width);
  put_tag (head, 257, 4, 1, s->height);
  if (s->channels == 1)
    put_tag (head, 258, 3, 1, 8 * s->bytes);
  else
    put_tag (head, 258, 3, 3, AFTER);
  put_tag (head, 259, 3, 1, 1);
  put_tag (head, 262, 3, 1, s->channels == 1 ? 1 : 2);
  put_tag (head, 273, 4, 1, PIXELS);
  put_tag (head, 277, 3, 1, s->channels);
  put_tag (head, 278, 4, 1, s->height);
  put_tag (head, 279, 4, 1, size);
  put_tag (head, 284, 3, 1, 1);
  if (s->channels == 1)
    put_tag (head, 339, 3, 1, s->bytes == 4 ? 3 : 1);
  else
    put_tag (head, 339, 3, 3, AFTER + 8);
  put (head, 0, 4);
  for (i = 0; i < 4; i++)
    put (head, 8 * s->bytes, 2);
  for (i = 0; i < 4; i++)
    put (head, s->bytes == 4 ? 3 : 1, 2);

  file = temp_write (to);
  ok = file && fwrite (head->data, 1, head->len, file) == head->len;
  buffer = gimp_drawable_get_buffer (s->drawable);
  rows = g_malloc (row_bytes (s, s->width) * 64);
  for (y = 0; ok && y < s->height; y += 64)
    {
      gint n = MIN (64, s->height - y);

      gegl_buffer_get (buffer, GEGL_RECTANGLE (0, y, s->width, n), 1.0, s->colour, rows, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      ok = fwrite (rows, row_bytes (s, s->width), n, file) == (gsize) n;
    }
  if (file && fclose (file))
    ok = FALSE;
  if (!ok)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s: %s", to->path, g_strerror (errno));
  g_free (rows);
  g_object_unref (buffer);
  g_byte_array_free (head, TRUE);
  return ok;
}

static guint32
get (const guint8 *p, gint bytes)
{
  guint32 v = 0;
  guint16 half;

  if (bytes == 2)
    memcpy (&half, p, 2), v = half;
  else
    memcpy (&v, p, 4);
  return v;
}

/* Returns entry i of a tag that holds shorts or longs. The checks keep reads inside the file. */
static gboolean
tag_entry (const guint8 *data, gsize length, const guint8 *tag, guint32 i, guint32 *value)
{
  guint   type = get (tag + 2, 2), bytes = type == 3 ? 2 : 4;
  guint32 count = get (tag + 4, 4);
  guint64 at;

  if ((type != 3 && type != 4) || i >= count)
    return FALSE;
  if ((guint64) count * bytes <= 4)
    *value = get (tag + 8 + i * bytes, bytes);
  else
    {
      at = (guint64) get (tag + 8, 4) + (guint64) i * bytes;
      if (at + bytes > length)
        return FALSE;
      *value = get (data + at, bytes);
    }
  return TRUE;
}

/* Reads the samples of an output of the program, which has the sample type of its input and is not compressed. */
static guint8 *
read_tiff (const Source *s, const Temp *from, gint width, gint height, GError **error)
{
  GMappedFile  *map = temp_read (from, error);
  const guint8 *data, *tags[512] = { NULL };
  gsize         length, have = 0, want = row_bytes (s, width) * height;
  guint8       *pixels;
  guint32       ifd, n, i, v, offset, count;

  if (!map)
    return NULL;
  data = (const guint8 *) g_mapped_file_get_contents (map);
  length = g_mapped_file_get_length (map);
  pixels = g_malloc (MAX (want, 1));
  if (length < 8 || memcmp (data, G_BYTE_ORDER == G_LITTLE_ENDIAN ? "II" : "MM", 2) || get (data + 2, 2) != 42)
    goto bad;
  ifd = get (data + 4, 4);
  if ((guint64) ifd + 2 > length)
    goto bad;
  n = get (data + ifd, 2);
  if ((guint64) ifd + 2 + 12 * (guint64) n > length)
    goto bad;
  for (i = 0; i < n; i++)
    {
      const guint8 *t = data + ifd + 2 + 12 * i;

      if (get (t, 2) < G_N_ELEMENTS (tags))
        tags[get (t, 2)] = t;
    }
  if (!tags[256] || !tag_entry (data, length, tags[256], 0, &v) || v != (guint32) width ||
      !tags[257] || !tag_entry (data, length, tags[257], 0, &v) || v != (guint32) height ||
      !tags[258] || !tag_entry (data, length, tags[258], 0, &v) || v != 8u * s->bytes ||
      (tags[259] && tag_entry (data, length, tags[259], 0, &v) && v != 1) ||
      !tags[273] || !tags[279])
    goto bad;
  for (i = 0; tag_entry (data, length, tags[273], i, &offset); i++)
    {
      if (!tag_entry (data, length, tags[279], i, &count) || (guint64) offset + count > length || count > want - have)
        goto bad;
      memcpy (pixels + have, data + offset, count);
      have += count;
    }
  if (have != want)
    goto bad;
  g_mapped_file_unref (map);
  return pixels;

bad:
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "The program has not written a picture. Is it blorc-denoise?");
  g_mapped_file_unref (map);
  g_free (pixels);
  return NULL;
}

/* ---- the program ---- */

static gchar *
program_path (void)
{
  gchar *path = gimp_gimprc_query (SETTING);

  if (path && *path)
    return path;
  g_free (path);
  return g_strdup (g_getenv ("BLORC_DENOISE") ? g_getenv ("BLORC_DENOISE") : "blorc-denoise");
}

static void
add_number (GPtrArray *args, const gchar *flag, gdouble v)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ptr_array_add (args, g_strdup_printf ("%s=%s", flag, g_ascii_dtostr (text, sizeof text, v)));
}

/* The arguments of the program. Width 0 means that there is no crop. */
static gchar **
arguments (const Settings *v, const Files *f, gint x, gint y, gint width, gint height)
{
  static const gchar *qualities[] = { "fast", "balanced", "best" };
  GPtrArray *args = g_ptr_array_new ();

  g_ptr_array_add (args, program_path ());
  g_ptr_array_add (args, g_strdup ("-q"));
  g_ptr_array_add (args, g_strdup ("--progress=json"));
  g_ptr_array_add (args, g_strdup ("--overwrite=always"));
  g_ptr_array_add (args, g_strdup ("--on-invalid=keep")); /* pictures of floats may have NaN where there is nothing */
  g_ptr_array_add (args, g_strdup_printf ("--quality=%s", qualities[CLAMP (v->quality, 0, 2)]));
  switch (v->noise)
    {
    case NOISE_GIVEN:
      add_number (args, "--sigma", v->sigma);
      break;
    case NOISE_CAMERA:
      g_ptr_array_add (args, g_strdup ("--noise=camera"));
      break;
    case NOISE_PHOTONS:
      g_ptr_array_add (args, g_strdup ("--noise=poisson"));
      if (v->gain > 0)
        {
          add_number (args, "--gain", v->gain);
          add_number (args, "--offset", v->offset);
          add_number (args, "--read-noise", v->read_noise);
        }
      break;
    }
  add_number (args, "--strength", v->strength / 100);
  add_number (args, "--luma", v->luma / 100);
  add_number (args, "--chroma", v->chroma / 100);
  if (width)
    g_ptr_array_add (args, g_strdup_printf ("--crop=%d,%d,%d,%d", x, y, width, height));
  g_ptr_array_add (args, g_strdup (f->in.fd < 0 ? f->in.path : "-"));
  g_ptr_array_add (args, g_strdup ("-o"));
  g_ptr_array_add (args, g_strdup (f->out.fd < 0 ? f->out.path : "-"));
  g_ptr_array_add (args, NULL);
  return (gchar **) g_ptr_array_free (args, FALSE);
}

/* The program ends with a plug-in that is killed. */
static void
in_child (gpointer data)
{
#ifndef G_OS_WIN32
  const Files *f = data;

  dup2 (f->in.fd, 0);
  dup2 (f->out.fd, 1);
#endif
#ifdef __linux__
  prctl (PR_SET_PDEATHSIG, SIGTERM);
#endif
}

static void
stop (GPid pid)
{
#ifdef G_OS_WIN32
  TerminateProcess (pid, 1);
#else
  kill (pid, SIGTERM);
#endif
}

/* Says what to do if the program cannot be started. */
static gboolean
not_started (const gchar *program, GError *why, GError **error)
{
  g_set_error (error, why->domain, why->code, g_error_matches (why, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT) ?
               "The program %s is not there. Install blorc-denoise, or give its path in the dialog." :
               "The program %s cannot be started. Give the path of blorc-denoise in the dialog.", program);
  g_error_free (why);
  return FALSE;
}

static gboolean
spawn (gchar **args, Files *f, GPid *pid, gint *messages, GError **error)
{
  GError *why = NULL;

#ifndef G_OS_WIN32
  /* A preview that was stopped has read and written them, too. */
  if (lseek (f->in.fd, 0, SEEK_SET) || lseek (f->out.fd, 0, SEEK_SET) || ftruncate (f->out.fd, 0))
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "temporary file: %s", g_strerror (errno));
      return FALSE;
    }
#endif
  if (!g_spawn_async_with_pipes (NULL, args, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL,
                                 in_child, f, pid, NULL, NULL, messages, &why))
    return not_started (args[0], why, error);
  return TRUE;
}

/* Takes one line of the program: progress, or a message to keep. */
static void
take_line (const gchar *line, gdouble *done, GString *text)
{
  const gchar *at;

  if (*line != '{')
    g_string_append (text, line);
  else if (done && (at = strstr (line, "\"done\":")))
    *done = g_ascii_strtod (at + strlen ("\"done\":"), NULL);
}

static gboolean
fail_with (GString *text, GError **error)
{
  g_strstrip (text->str);
  g_set_error_literal (error, G_SPAWN_ERROR, G_SPAWN_ERROR_FAILED, *text->str ? text->str : "blorc-denoise failed");
  return FALSE;
}

/* Runs the program to its end and shows its progress. */
static gboolean
run_program (gchar **args, Files *f, GError **error)
{
  GString    *text = g_string_new (NULL);
  GIOChannel *channel;
  GPid        pid;
  gint        messages, status = -1;
  gboolean    ok = TRUE;
  gchar      *line;
  gdouble     done = 0;

  if (!spawn (args, f, &pid, &messages, error))
    {
      g_string_free (text, TRUE);
      return FALSE;
    }
#ifdef G_OS_WIN32
  channel = g_io_channel_win32_new_fd (messages);
#else
  channel = g_io_channel_unix_new (messages);
#endif
  g_io_channel_set_encoding (channel, NULL, NULL);
  while (g_io_channel_read_line (channel, &line, NULL, NULL, NULL) == G_IO_STATUS_NORMAL)
    {
      take_line (line, &done, text);
      gimp_progress_update (done);
      g_free (line);
    }
  g_io_channel_shutdown (channel, FALSE, NULL);
  g_io_channel_unref (channel);
#ifdef G_OS_WIN32
  WaitForSingleObject (pid, INFINITE);
  GetExitCodeProcess (pid, (LPDWORD) &status);
#else
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
#endif
  g_spawn_close_pid (pid);
  if (status)
    ok = fail_with (text, error);
  g_string_free (text, TRUE);
  return ok;
}

/* ---- the filter ---- */

/* Puts new colours into the shadow of the drawable, with its old opacity. */
static void
put_pixels (const Source *s, const guint8 *pixels, gint x, gint y, gint width, gint height)
{
  GeglBuffer *from = gimp_drawable_get_buffer (s->drawable);
  GeglBuffer *to   = gimp_drawable_get_shadow_buffer (s->drawable);
  gint        cell = s->channels * s->bytes, stride = cell + s->bytes, i, row;
  guint8     *line = g_malloc ((gsize) width * stride);

  for (row = 0; row < height; row++)
    {
      const GeglRectangle *at  = GEGL_RECTANGLE (x, y + row, width, 1);
      const guint8        *in  = pixels + row_bytes (s, width) * row;
      const guint8        *out = in;

      if (s->alpha)
        {
          gegl_buffer_get (from, at, 1.0, s->whole, line, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
          for (i = 0; i < width; i++)
            memcpy (line + (gsize) i * stride, in + (gsize) i * cell, cell);
          out = line;
        }
      gegl_buffer_set (to, at, 0, s->whole, out, GEGL_AUTO_ROWSTRIDE);
    }
  g_free (line);
  gegl_buffer_flush (to);
  g_object_unref (from);
  g_object_unref (to);
}

static gboolean
denoise (gint32 image, gint32 drawable, const Settings *v, GError **error)
{
  Source   s;
  gint     x, y, width, height;
  gchar  **args;
  Files    f;
  guint8  *pixels = NULL;
  gboolean ok = FALSE, whole;

  source_init (&s, image, drawable);
  temp_open (&f.in);
  temp_open (&f.out);
  if (!gimp_drawable_mask_intersect (drawable, &x, &y, &width, &height))
    ok = TRUE; /* nothing is selected here */
  else
    {
      whole = width == s.width && height == s.height;
      gimp_progress_init ("Removing noise");
      args = arguments (v, &f, x, y, whole ? 0 : width, height);
      ok = write_tiff (&s, &f.in, error) && run_program (args, &f, error) && (pixels = read_tiff (&s, &f.out, width, height, error));
      g_strfreev (args);
    }
  if (pixels)
    {
      put_pixels (&s, pixels, x, y, width, height);
      gimp_drawable_merge_shadow (drawable, TRUE);
      gimp_drawable_update (drawable, x, y, width, height);
      gimp_progress_end ();
      g_free (pixels);
    }
  temp_close (&f.in);
  temp_close (&f.out);
  return ok;
}

/* ---- the dialog ---- */

typedef struct {
  Settings   *v;
  Source      source;
  Files       files;
  gboolean    written;
  GtkWidget  *preview, *status, *program;
  GtkObject  *sigma, *gain, *offset, *read_noise;
  GPid        pid; /* of the running preview; 0 if none */
  gboolean    again;
  GIOChannel *channel;
  GString    *text;
  gint        x, y, width, height;
} Dialog;

static void start_preview (Dialog *d);

static void
show_status (Dialog *d, const gchar *text)
{
  gtk_label_set_text (GTK_LABEL (d->status), text);
  gtk_widget_set_tooltip_text (d->status, *text ? text : NULL);
}

/* Draws a finished preview: 8 bits, with the opacity of the drawable. */
static void
draw_preview (Dialog *d)
{
  const Source *s = &d->source;
  GError       *error = NULL;
  guint8       *pixels = read_tiff (s, &d->files.out, d->width, d->height, &error), *shown;
  GeglBuffer   *buffer;
  const Babl   *colour, *whole, *fish;
  gint          i, n = d->width * d->height, cell = s->channels + (s->alpha ? 1 : 0);
  guint8       *eight;

  if (!pixels)
    {
      show_status (d, error->message);
      g_clear_error (&error);
      return;
    }
  colour = babl_format_with_space (s->channels == 1 ? "Y' u8" : "R'G'B' u8", s->colour);
  whole  = babl_format_with_space (s->channels == 1 ? (s->alpha ? "Y'A u8" : "Y' u8") : (s->alpha ? "R'G'B'A u8" : "R'G'B' u8"), s->colour);
  eight  = g_malloc ((gsize) n * s->channels);
  fish   = babl_fish (s->colour, colour);
  babl_process (fish, pixels, eight, n);
  shown  = g_malloc ((gsize) n * cell);
  buffer = gimp_drawable_get_buffer (s->drawable);
  gegl_buffer_get (buffer, GEGL_RECTANGLE (d->x, d->y, d->width, d->height), 1.0, whole, shown, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (i = 0; i < n; i++)
    memcpy (shown + (gsize) i * cell, eight + (gsize) i * s->channels, s->channels);
  gimp_preview_draw_buffer (GIMP_PREVIEW (d->preview), shown, d->width * cell);
  show_status (d, "");
  g_object_unref (buffer);
  g_free (shown);
  g_free (eight);
  g_free (pixels);
}

static gboolean
on_message (GIOChannel *channel, GIOCondition condition, gpointer data)
{
  Dialog *d = data;
  gchar  *line;

  if (g_io_channel_read_line (channel, &line, NULL, NULL, NULL) != G_IO_STATUS_NORMAL)
    return FALSE;
  take_line (line, NULL, d->text);
  g_free (line);
  return TRUE;
}

static void
on_preview_done (GPid pid, gint status, gpointer data)
{
  Dialog *d = data;
  gchar  *line;

  while (g_io_channel_read_line (d->channel, &line, NULL, NULL, NULL) == G_IO_STATUS_NORMAL)
    {
      take_line (line, NULL, d->text);
      g_free (line);
    }
  g_io_channel_shutdown (d->channel, FALSE, NULL);
  g_io_channel_unref (d->channel);
  d->channel = NULL;
  g_spawn_close_pid (pid);
  d->pid = 0;
  if (d->again)
    start_preview (d);
  else if (status == 0)
    draw_preview (d);
  else
    show_status (d, g_strstrip (d->text->str));
}

/* Runs the program on what the preview shows, and comes back at once. A preview that is out of date is stopped first. */
static void
start_preview (Dialog *d)
{
  GError *error = NULL;
  gchar **args;
  gint    messages;

  d->again = d->pid != 0;
  if (d->again)
    {
      stop (d->pid);
      return;
    }
  if (!d->written && !write_tiff (&d->source, &d->files.in, &error))
    goto failed;
  d->written = TRUE;
  gimp_preview_get_position (GIMP_PREVIEW (d->preview), &d->x, &d->y);
  gimp_preview_get_size (GIMP_PREVIEW (d->preview), &d->width, &d->height);
  args = arguments (d->v, &d->files, d->x, d->y, d->width, d->height);
  if (!spawn (args, &d->files, &d->pid, &messages, &error))
    {
      g_strfreev (args);
      d->pid = 0;
      goto failed;
    }
  g_strfreev (args);
  g_string_truncate (d->text, 0);
  show_status (d, "Denoising the preview ...");
#ifdef G_OS_WIN32
  d->channel = g_io_channel_win32_new_fd (messages);
#else
  d->channel = g_io_channel_unix_new (messages);
#endif
  g_io_channel_set_encoding (d->channel, NULL, NULL);
  g_io_add_watch (d->channel, G_IO_IN | G_IO_HUP, on_message, d);
  g_child_watch_add (d->pid, on_preview_done, d);
  return;

failed:
  show_status (d, error->message);
  g_clear_error (&error);
}

static void
on_noise (GtkWidget *combo, Dialog *d)
{
  gimp_int_combo_box_get_active (GIMP_INT_COMBO_BOX (combo), &d->v->noise);
  gimp_scale_entry_set_sensitive (d->sigma, d->v->noise == NOISE_GIVEN);
  gimp_scale_entry_set_sensitive (d->gain, d->v->noise == NOISE_PHOTONS);
  gimp_scale_entry_set_sensitive (d->offset, d->v->noise == NOISE_PHOTONS);
  gimp_scale_entry_set_sensitive (d->read_noise, d->v->noise == NOISE_PHOTONS);
  gimp_preview_invalidate (GIMP_PREVIEW (d->preview));
}

static void
on_quality (GtkWidget *combo, Dialog *d)
{
  gimp_int_combo_box_get_active (GIMP_INT_COMBO_BOX (combo), &d->v->quality);
  gimp_preview_invalidate (GIMP_PREVIEW (d->preview));
}

static void
on_program (GtkWidget *entry, Dialog *d)
{
  gimp_gimprc_set (SETTING, gtk_entry_get_text (GTK_ENTRY (entry)));
  gimp_preview_invalidate (GIMP_PREVIEW (d->preview));
}

static GtkObject *
add_scale (Dialog *d, GtkWidget *table, gint row, const gchar *label, gdouble *value, gdouble most, gdouble step, gint digits,
           const gchar *help)
{
  GtkObject *scale = gimp_scale_entry_new (GTK_TABLE (table), 0, row, label, 160, 7, *value, 0, most, step, 10 * step, digits,
                                           TRUE, 0, 0, help, NULL);

  g_signal_connect (scale, "value-changed", G_CALLBACK (gimp_double_adjustment_update), value);
  g_signal_connect_swapped (scale, "value-changed", G_CALLBACK (gimp_preview_invalidate), d->preview);
  return scale;
}

static gboolean
dialog (gint32 image, gint32 drawable, Settings *v)
{
  Dialog     d = { v };
  GtkWidget *window, *box, *table, *noise, *quality;
  gchar     *path;
  gdouble    levels;
  gboolean   ok;

  gimp_ui_init (ROLE, FALSE);
  source_init (&d.source, image, drawable);
  temp_open (&d.files.in);
  temp_open (&d.files.out);
  d.text = g_string_new (NULL);
  levels = d.source.bytes == 1 ? 255 : d.source.bytes == 2 ? 65535 : 1;

  window = gimp_dialog_new ("Blorc Denoise", ROLE, NULL, 0, gimp_standard_help_func, PROCEDURE,
                            GTK_STOCK_CANCEL, GTK_RESPONSE_CANCEL, GTK_STOCK_OK, GTK_RESPONSE_OK, NULL);
  gtk_dialog_set_alternative_button_order (GTK_DIALOG (window), GTK_RESPONSE_OK, GTK_RESPONSE_CANCEL, -1);
  gimp_window_set_transient (GTK_WINDOW (window));
  box = gtk_vbox_new (FALSE, 12);
  gtk_container_set_border_width (GTK_CONTAINER (box), 12);
  gtk_box_pack_start (GTK_BOX (gtk_dialog_get_content_area (GTK_DIALOG (window))), box, TRUE, TRUE, 0);

  d.preview = gimp_drawable_preview_new_from_drawable_id (drawable);
  gtk_box_pack_start (GTK_BOX (box), d.preview, TRUE, TRUE, 0);
  g_signal_connect_swapped (d.preview, "invalidated", G_CALLBACK (start_preview), &d);
  d.status = gtk_label_new ("");
  gtk_misc_set_alignment (GTK_MISC (d.status), 0, 0.5);
  gtk_label_set_ellipsize (GTK_LABEL (d.status), PANGO_ELLIPSIZE_END);
  gtk_box_pack_start (GTK_BOX (box), d.status, FALSE, FALSE, 0);

  table = gtk_table_new (10, 3, FALSE);
  gtk_table_set_row_spacings (GTK_TABLE (table), 6);
  gtk_table_set_col_spacings (GTK_TABLE (table), 6);
  gtk_box_pack_start (GTK_BOX (box), table, FALSE, FALSE, 0);

  noise = gimp_int_combo_box_new ("Find it in the image", NOISE_AUTO, "White, with the sigma below", NOISE_GIVEN,
                                  "Camera, film or scan", NOISE_CAMERA, "Photons", NOISE_PHOTONS, NULL);
  gimp_table_attach_aligned (GTK_TABLE (table), 0, 0, "_Noise:", 0, 0.5, noise, 2, FALSE);
  d.sigma = add_scale (&d, table, 1, "S_igma (0-255):", &v->sigma, 100, 0.1, 1, "Standard deviation in gray levels of 0-255, whatever the depth of the image");
  d.gain = add_scale (&d, table, 2, "_Gain:", &v->gain, levels / 10, levels / 1e4, levels > 1 ? 2 : 5, "Levels of the image for each photon; 0 means that gain, offset and read noise are found");
  d.offset = add_scale (&d, table, 3, "O_ffset:", &v->offset, levels / 4, levels / 1e3, levels > 1 ? 1 : 5, "Level of the image without any photon");
  d.read_noise = add_scale (&d, table, 4, "_Read noise:", &v->read_noise, levels / 10, levels / 1e4, levels > 1 ? 2 : 5, "Standard deviation of the read noise in levels of the image");
  add_scale (&d, table, 5, "_Strength (%):", &v->strength, 100, 1, 0, "Share of the noise that is removed");
  add_scale (&d, table, 6, "_Brightness (%):", &v->luma, 100, 1, 0, "Share of the noise in the brightness that is removed");
  gimp_scale_entry_set_sensitive (add_scale (&d, table, 7, "_Colours (%):", &v->chroma, 100, 1, 0, "Share of the noise in the colours that is removed"), d.source.channels == 3);
  quality = gimp_int_combo_box_new ("Fast", QUALITY_FAST, "Balanced", QUALITY_BALANCED, "Best", QUALITY_BEST, NULL);
  gimp_table_attach_aligned (GTK_TABLE (table), 0, 8, "_Quality:", 0, 0.5, quality, 2, FALSE);
  d.program = gtk_entry_new ();
  path = program_path ();
  gtk_entry_set_text (GTK_ENTRY (d.program), path);
  g_free (path);
  gtk_widget_set_tooltip_text (d.program, "Name or path of the program blorc-denoise");
  gimp_table_attach_aligned (GTK_TABLE (table), 0, 9, "_Program:", 0, 0.5, d.program, 2, FALSE);

  gimp_int_combo_box_set_active (GIMP_INT_COMBO_BOX (noise), v->noise);
  gimp_int_combo_box_set_active (GIMP_INT_COMBO_BOX (quality), v->quality);
  g_signal_connect (noise, "changed", G_CALLBACK (on_noise), &d);
  g_signal_connect (quality, "changed", G_CALLBACK (on_quality), &d);
  g_signal_connect (d.program, "activate", G_CALLBACK (on_program), &d);
  on_noise (noise, &d);
  gtk_widget_show_all (window);

  ok = gimp_dialog_run (GIMP_DIALOG (window)) == GTK_RESPONSE_OK;
  gimp_gimprc_set (SETTING, gtk_entry_get_text (GTK_ENTRY (d.program)));
  d.again = FALSE;
  if (d.pid)
    {
      stop (d.pid);
#ifndef G_OS_WIN32
      waitpid (d.pid, NULL, 0);
#endif
    }
  gtk_widget_destroy (window);
  temp_close (&d.files.in);
  temp_close (&d.files.out);
  return ok;
}

/* ---- the plug-in ---- */

static void
query (void)
{
  static const GimpParamDef args[] = {
    { GIMP_PDB_INT32,    "run-mode",   "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1), RUN-WITH-LAST-VALS (2) }" },
    { GIMP_PDB_IMAGE,    "image",      "Input image" },
    { GIMP_PDB_DRAWABLE, "drawable",   "Input drawable" },
    { GIMP_PDB_INT32,    "noise",      "Noise { FOUND (0), WHITE (1), CAMERA (2), PHOTONS (3) }" },
    { GIMP_PDB_FLOAT,    "sigma",      "Standard deviation of white noise in gray levels of 0-255" },
    { GIMP_PDB_FLOAT,    "gain",       "Levels for each photon; 0 means that photon noise is found" },
    { GIMP_PDB_FLOAT,    "offset",     "Level without any photon" },
    { GIMP_PDB_FLOAT,    "read-noise", "Standard deviation of the read noise in levels" },
    { GIMP_PDB_FLOAT,    "strength",   "Percentage of the noise that is removed" },
    { GIMP_PDB_FLOAT,    "luma",       "Percentage of the noise in the brightness that is removed" },
    { GIMP_PDB_FLOAT,    "chroma",     "Percentage of the noise in the colours that is removed" },
    { GIMP_PDB_INT32,    "quality",    "Quality { FAST (0), BALANCED (1), BEST (2) }" },
  };

  gimp_install_procedure (PROCEDURE, "Remove noise with learned filters",
                          "Runs the program blorc-denoise on the drawable. The path of the program is the gimprc setting " SETTING
                          ", the environment variable BLORC_DENOISE, or found in PATH.",
                          "The blorc-denoise authors", "The blorc-denoise authors", "2026", "_Blorc Denoise...", "RGB*, GRAY*",
                          GIMP_PLUGIN, G_N_ELEMENTS (args), 0, args, NULL);
  gimp_plugin_menu_register (PROCEDURE, "<Image>/Filters/Enhance");
}

static void
run (const gchar *name, gint count, const GimpParam *param, gint *returned, GimpParam **values)
{
  static GimpParam result[2];
  Settings         v     = defaults;
  GError          *error = NULL;
  gint32           image = param[1].data.d_image, drawable = param[2].data.d_drawable;

  result[0].type = GIMP_PDB_STATUS;
  result[0].data.d_status = GIMP_PDB_SUCCESS;
  *returned = 1;
  *values = result;
  gegl_init (NULL, NULL);
  switch (param[0].data.d_int32)
    {
    case GIMP_RUN_INTERACTIVE:
      gimp_get_data (PROCEDURE, &v);
      if (!dialog (image, drawable, &v))
        {
          result[0].data.d_status = GIMP_PDB_CANCEL;
          return;
        }
      gimp_set_data (PROCEDURE, &v, sizeof v);
      break;
    case GIMP_RUN_WITH_LAST_VALS:
      gimp_get_data (PROCEDURE, &v);
      break;
    default:
      if (count != 12)
        {
          result[0].data.d_status = GIMP_PDB_CALLING_ERROR;
          return;
        }
      v.noise      = param[3].data.d_int32;
      v.sigma      = param[4].data.d_float;
      v.gain       = param[5].data.d_float;
      v.offset     = param[6].data.d_float;
      v.read_noise = param[7].data.d_float;
      v.strength   = param[8].data.d_float;
      v.luma       = param[9].data.d_float;
      v.chroma     = param[10].data.d_float;
      v.quality    = param[11].data.d_int32;
    }
  if (!denoise (image, drawable, &v, &error))
    { /* GIMP shows the string */
      result[0].data.d_status = GIMP_PDB_EXECUTION_ERROR;
      result[1].type = GIMP_PDB_STRING;
      result[1].data.d_string = error->message;
      *returned = 2;
    }
  else if (param[0].data.d_int32 != GIMP_RUN_NONINTERACTIVE)
    gimp_displays_flush ();
}

const GimpPlugInInfo PLUG_IN_INFO = { NULL, NULL, query, run };

MAIN ()
