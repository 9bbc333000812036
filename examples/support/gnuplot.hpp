// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

/// \file
/// SVG pictures by gnuplot, which gets its commands and data through a pipe.

#ifndef MERCER_EXAMPLES_SUPPORT_GNUPLOT_HPP
#define MERCER_EXAMPLES_SUPPORT_GNUPLOT_HPP

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>

#include <Eigen/Core>

namespace examples {

/// Text as a string of gnuplot's: in single quotes, on one line.
inline std::string text_for_gnuplot(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + "'";
}

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
    if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) return "gnuplot is not installed";
    const std::string temporary = path + ".part";
    // If gnuplot ends early, writing to it shall fail and not end this program.
    const auto previous = std::signal(SIGPIPE, SIG_IGN);
    bool drawn = false;
    if (std::FILE* pipe = popen("gnuplot >/dev/null 2>&1", "w")) {
      const std::string script =
          "set output " + text_for_gnuplot(temporary) + "\n" + script_.str() + "unset output\n";
      const bool sent = std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
      drawn = pclose(pipe) == 0 && sent;
    }
    std::signal(SIGPIPE, previous);
    if (drawn && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
    std::remove(temporary.c_str());
    return "gnuplot failed";
  }

 private:
  std::ostringstream script_;
};

}  // namespace examples

#endif  // MERCER_EXAMPLES_SUPPORT_GNUPLOT_HPP
