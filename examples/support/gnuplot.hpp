// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// SVG pictures by gnuplot, which gets its commands and data from a file without a name.

#ifndef MERCER_EXAMPLES_SUPPORT_GNUPLOT_HPP
#define MERCER_EXAMPLES_SUPPORT_GNUPLOT_HPP

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <process.h>
#else
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include <Eigen/Core>

#include <mercer/io/file.hpp>
#include <mercer/io/text.hpp>

namespace examples {

/// Text as a string of gnuplot's, on one line.
inline std::string text_for_gnuplot(std::string_view text) {
  // In double quotes, with octal digits for whatever means something there: in single quotes,
  // gnuplot does not take a text that begins with a quote.
  std::string out = "\"";
  for (const char c : mercer::io::printable(text)) {
    if (c == '"' || c == '\\' || c == '`') {
      const auto byte = static_cast<unsigned>(c);
      out += {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
              static_cast<char>('0' + byte % 8)};
    } else {
      out += c;
    }
  }
  return out + '"';
}

namespace detail {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
/// A file without a name, gone when it is closed.
using NamelessFile = std::unique_ptr<std::FILE, CloseFile>;

#if defined(_WIN32)

/// In place of one of the standard streams, an open file, until the end of the scope.
class RedirectedStream {
 public:
  RedirectedStream(int stream, int file) : stream_(stream), before_(_dup(stream)) {
    _dup2(file, stream);
  }
  RedirectedStream(const RedirectedStream&) = delete;
  RedirectedStream& operator=(const RedirectedStream&) = delete;
  ~RedirectedStream() {
    _dup2(before_, stream_);
    _close(before_);
  }

 private:
  int stream_, before_;
};

#else

extern "C" char** environ;  // not in all headers

#endif

/// Runs gnuplot from one file to another. Returns the empty string, or why it did not work.
inline std::string run_gnuplot(std::FILE* commands, std::FILE* picture) {
#if defined(_WIN32)
  // A program gets the standard streams of the program that runs it.
  std::fflush(stdout);
  std::fflush(stderr);
  const int nowhere = _open("NUL", _O_WRONLY);
  std::intptr_t status = 0;
  {
    const RedirectedStream in(0, _fileno(commands)), out(1, _fileno(picture)), err(2, nowhere);
    status = _spawnlp(_P_WAIT, "gnuplot", "gnuplot", nullptr);
  }
  const int error = errno;
  _close(nowhere);
  if (status == -1) return error == ENOENT ? "gnuplot is not installed" : "gnuplot cannot be run";
  return status == 0 ? "" : "gnuplot failed";
#else
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files) != 0) return "no memory to run gnuplot";
  posix_spawn_file_actions_adddup2(&files, fileno(commands), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, fileno(picture), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // It reads a file much faster than its standard input, which it takes byte by byte.
  std::string program = "gnuplot", input = "/dev/stdin";
  const bool by_name = access(input.c_str(), R_OK) == 0;
  const std::array<char*, 3> words{program.data(), by_name ? input.data() : nullptr, nullptr};
  pid_t process = 0;
  const int error = posix_spawnp(&process, "gnuplot", &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error == ENOENT) return "gnuplot is not installed";
  int status = 0;
  pid_t ended = -1;
  if (error != 0) return "gnuplot cannot be run";
  do ended = waitpid(process, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "gnuplot failed";
#endif
}

/// All that was written to a file.
inline std::string content(std::FILE* file) {
  std::string bytes;
  std::rewind(file);
  std::array<char, 1 << 16> part;
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), file))
    bytes.append(part.data(), size);
  return bytes;
}

}  // namespace detail

/// One picture: gathers commands with <<, then runs gnuplot once.
class Picture {
 public:
  Picture(int width, int height) {
    script_.precision(9);
    script_ << "set terminal svg noenhanced size " << width << ',' << height
            << " font 'Helvetica,14' background 'white'\n"
               "set border 3 linecolor rgb '#555555'\n"
               "set tics nomirror out textcolor rgb '#222222'\n"
               "set grid linecolor rgb '#dddddd' linetype 1\n"
               "set key Left reverse samplen 1\n";
  }

  template <class T>
  Picture& operator<<(const T& part) {
    script_ << part;
    return *this;
  }

  /// Makes the rows of a matrix known to later commands as $name.
  template <class Derived>
  void data(const std::string& name, const Eigen::MatrixBase<Derived>& rows) {
    script_ << '$' << name << " << END_OF_DATA\n" << rows << "\nEND_OF_DATA\n";
  }

  /// Draws into a file, which appears complete or not at all. Returns the empty string, or why
  /// there is no picture.
  [[nodiscard]] std::string save(const std::string& path) const {
    const detail::NamelessFile commands(std::tmpfile()), picture(std::tmpfile());
    const std::string script = script_.str();
    if (!commands || !picture ||
        std::fwrite(script.data(), 1, script.size(), commands.get()) != script.size())
      return "no room for temporary files";
    std::rewind(commands.get());
    const std::string problem = detail::run_gnuplot(commands.get(), picture.get());
    if (!problem.empty()) return problem;
    const std::string bytes = detail::content(picture.get());
    // It does not look whether all of its output is written.
    if (bytes.find("</svg>") == std::string::npos) return "gnuplot failed";
    try {
      mercer::io::write_file(path, bytes);
    } catch (const mercer::io::FileError& error) {
      return error.what();
    }
    return {};
  }

  /// Draws into a file, and prints its name or why there is no picture.
  void draw(const std::string& path) const {
    const std::string problem = save(path);
    std::printf("%s%s\n", problem.empty() ? "drawn: " : "no picture: ",
                problem.empty() ? path.c_str() : problem.c_str());
  }

 private:
  std::ostringstream script_;
};

}  // namespace examples

#endif  // MERCER_EXAMPLES_SUPPORT_GNUPLOT_HPP
