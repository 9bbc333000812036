// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The mercer authors

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <mercer/io/file.hpp>
#include <tests/io/temporary_directory.hpp>
#include <tests/support/catch.hpp>

#if defined(__unix__)
#include <csignal>

#include <sys/resource.h>
#endif
#if defined(__linux__)
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace file_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using mercer::test::content_of;
using mercer::test::file_error;
using mercer::test::TemporaryDirectory;
namespace io = mercer::io;

#if defined(__linux__)

namespace {

/// What was brought to the disk, in this order.
struct Synced {
  ino_t inode;
  off_t size;
};
std::vector<Synced> synced;

}  // namespace

/// In place of the C library's.
extern "C" int fsync(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) synced.push_back({status.st_ino, status.st_size});
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

#endif

TEST_CASE("file: reading returns every byte", "[io][file]") {
  const TemporaryDirectory directory;
  const std::size_t first_block = std::size_t{1} << 16;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, first_block - 1, first_block,
                                 first_block + 1, 5 * first_block + 3}) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * i % 251);
    CHECK(io::read_file(directory.file("bytes", bytes)) == bytes);
  }
}

TEST_CASE("file: what cannot be read is an error with path and reason", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string missing = directory.path("missing.npy");
  CHECK(file_error([&] { return io::read_file(missing); }) ==
        missing + ": cannot open for reading: No such file or directory");
  const std::string itself = directory.path("");
  CHECK_THAT(file_error([&] { return io::read_file(itself); }),
             StartsWith(itself + ": cannot") && ContainsSubstring("Is a directory"));
}

TEST_CASE("file: a file error is the caller's mistake", "[io][file]") {
  CHECK_THROWS_AS(io::read_file("no such directory/x"), mercer::InvalidArgument);
}

TEST_CASE("file: a program without zlib says how to read compressed files", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("x.npy.gz", "bytes");
  const mercer::detail::Gunzip switched_on = mercer::detail::gunzip_function.exchange(nullptr);
  const std::string message = file_error([&] { return io::read_file(path); });
  mercer::detail::gunzip_function.store(switched_on);
  CHECK_THAT(message, StartsWith(path + ": ") && ContainsSubstring("<mercer/io/gzip.hpp>"));
}

TEST_CASE("file: the extension tells the format", "[io][file]") {
  using mercer::detail::format_extension;
  CHECK(format_extension("a.npy") == ".npy");
  CHECK(format_extension("A.NPY") == ".npy");
  CHECK(format_extension("dir.d/a.b.Csv.gz") == ".csv");
  CHECK(format_extension("a.SVM.GZ") == ".svm");
  CHECK(format_extension("dir.npy/plain").empty());
  CHECK(format_extension("a.gz").empty());
  CHECK(format_extension("").empty());
}

TEST_CASE("file: writing makes and replaces files and leaves nothing else", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("out");
  io::write_file(path, "first");
  CHECK(content_of(path) == "first");
  io::write_file(path, std::string_view("zero\0byte", 9));
  CHECK(content_of(path) == std::string("zero\0byte", 9));
  CHECK(directory.entries() == 1);
}

TEST_CASE("file: without commit the old file stays", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("out", "old");
  {
    io::AtomicFile file(path);
    file.write("new");
    CHECK(content_of(path) == "old");
    CHECK(directory.entries() == 2);
  }
  CHECK(content_of(path) == "old");
  CHECK(directory.entries() == 1);
}

TEST_CASE("file: a new file does not replace another one", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("new.txt");
  io::AtomicFile first(path), second(path);
  first.write("first");
  second.write("second");
  CHECK(second.commit_if_missing());
  CHECK(!first.commit_if_missing());
  CHECK(content_of(path) == "second");
  CHECK(!io::write_new_file(path, "third"));
  CHECK(io::write_new_file(directory.path("other.txt"), "third"));
  CHECK(content_of(directory.path("other.txt")) == "third");
  CHECK(directory.entries() == 2);
}

TEST_CASE("file: two writers of one name do not mix", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("out");
  io::AtomicFile one(path), two(path);
  one.write("one");
  two.write("two");
  two.commit();
  CHECK(content_of(path) == "two");
  one.commit();
  CHECK(content_of(path) == "one");
  CHECK(directory.entries() == 1);
}

TEST_CASE("file: a temporary file left by a killed program is not in the way", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string left = directory.file("out.part0", "left");
  io::write_file(directory.path("out"), "new");
  CHECK(content_of(directory.path("out")) == "new");
  CHECK(content_of(left) == "left");
}

#if defined(__linux__)

TEST_CASE("file: what killed programs left behind does not pile up", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("out");
  const auto killed = [&](std::string_view bytes) {
    const pid_t child = ::fork();
    if (child == 0) {
      io::AtomicFile file(path);
      file.write(bytes);
      ::_exit(0);  // no destructors, as when killed
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
  };
  for (int run = 0; run < 3; ++run) killed("far more than what comes after");
  CHECK(directory.entries() == 1);
  {
    io::AtomicFile one(path), two(path);  // the second must not take over what the first has
    one.write("one");
    two.write("two");
    one.commit();
    two.commit();
  }
  CHECK(content_of(path) == "two");
  CHECK(directory.entries() == 1);
}

namespace {

/// Nine letters as `ls` shows them, as a number.
mode_t permissions_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & mode_t{07777};
}

/// Sets the umask while it lives.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(before_); }

 private:
  mode_t before_;
};

}  // namespace

TEST_CASE("file: what is replaced leaves its permissions", "[io][file]") {
  const TemporaryDirectory directory;
  const Umask mask(027);
  const std::string path = directory.path("out");
  io::write_file(path, "new");
  CHECK(permissions_of(path) == mode_t{0640});
  for (const unsigned mode : {0600U, 0444U, 0666U, 0755U}) {
    REQUIRE(::chmod(path.c_str(), static_cast<mode_t>(mode)) == 0);
    {
      // Nobody can read it meanwhile who cannot read the old file.
      io::AtomicFile file(path);
      file.write("newer");
      CHECK((permissions_of(path + ".mercer-part0") & ~mode) == 0);
      file.commit();
    }
    CHECK(permissions_of(path) == static_cast<mode_t>(mode));
  }
  CHECK(content_of(path) == "newer");
  CHECK(directory.entries() == 1);
}

TEST_CASE("file: what a killed program has left is no model for permissions", "[io][file]") {
  const TemporaryDirectory directory;
  const Umask mask(027);
  const std::string path = directory.path("out"), left = path + ".mercer-part0";
  for (const unsigned mode : {0666U, 0400U, 0777U}) {
    static_cast<void>(directory.file("out.mercer-part0", "left behind"));
    REQUIRE(::chmod(left.c_str(), static_cast<mode_t>(mode)) == 0);
    io::write_file(path, "new");
    CHECK(permissions_of(path) == mode_t{0640});
    CHECK(content_of(path) == "new");
    CHECK(directory.entries() == 1);
    REQUIRE(std::remove(path.c_str()) == 0);
  }
}

TEST_CASE("file: links of the temporary's name are not followed", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string other = directory.file("other", "precious");
  for (const char* const suffix : {".mercer-part0", ".part", ".part0"})
    std::filesystem::create_symlink(other, directory.path(std::string("out") + suffix));
  io::write_file(directory.path("out"), "new");
  CHECK(content_of(other) == "precious");
  CHECK(content_of(directory.path("out")) == "new");
}

TEST_CASE("file: what has another name than the temporary's is not taken over", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string other = directory.file("other", "precious");
  std::filesystem::create_hard_link(other, directory.path("out.mercer-part0"));
  REQUIRE(::mkfifo(directory.path("out.mercer-part1").c_str(), 0600) == 0);
  // A reader, so that the pipe can be opened for writing.
  const int reader = ::open(directory.path("out.mercer-part1").c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  io::write_file(directory.path("out"), "new");
  ::close(reader);
  CHECK(content_of(other) == "precious");
  CHECK(content_of(directory.path("out")) == "new");
  CHECK(std::filesystem::is_regular_file(directory.path("out")));
  CHECK(directory.entries() == 4);
}

TEST_CASE("file: the bytes are on the disk before they have the name", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("out", "old");
  synced.clear();
  io::write_file(path, "new");
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  REQUIRE(synced.size() == 2);
  CHECK(synced[0].inode == status.st_ino);
  CHECK(synced[0].size == 3);
  REQUIRE(::stat(directory.path("").c_str(), &status) == 0);
  CHECK(synced[1].inode == status.st_ino);  // then the name itself
}

#endif

TEST_CASE("file: what cannot be written is an error with path and reason", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string nowhere = directory.path("missing/out");
  CHECK(file_error([&] {
          io::write_file(nowhere, "x");
          return 0;
        }) == nowhere + ": cannot create: No such file or directory");
  std::filesystem::create_directory(directory.path("taken"));
  CHECK_THAT(file_error([&] {
               io::write_file(directory.path("taken"), "x");
               return 0;
             }),
             ContainsSubstring("taken: cannot write: Is a directory"));
  CHECK_THAT(file_error([&] {
               io::write_file(directory.path("x.npy.gz"), "x");
               return 0;
             }),
             ContainsSubstring("x.npy.gz: cannot write: mercer does not write compressed files"));
  CHECK(directory.entries() == 1);
}

#if defined(__unix__)

TEST_CASE("file: a device is not replaced", "[io][file]") {
  CHECK(file_error([] {
          io::write_file("/dev/null", "x");
          return 0;
        }) == "/dev/null: cannot write: not a regular file");
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

namespace {

/// Makes every write beyond \p bytes of one file fail, as on a full disk, while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    signal_ = std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limited = before_;
    limited.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int) = nullptr;
};

}  // namespace

TEST_CASE("file: when the disk is full, the old file stays and no new one", "[io][file]") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("out", "old");
  // The first size fails when the buffer is flushed by commit(), the second inside write().
  for (const std::size_t size : {std::size_t{2000}, std::size_t{1} << 20}) {
    std::string message;
    {
      const FileSizeLimit limit(1000);
      message = file_error([&] {
        io::write_file(path, std::string(size, 'x'));
        return 0;
      });
    }
    CHECK(message == path + ": cannot write: File too large");
    CHECK(content_of(path) == "old");
    CHECK(directory.entries() == 1);
  }
}

#endif

}  // namespace file_test
