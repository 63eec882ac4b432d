// Tests of reading command lines.

#include "tools/runtime/programs/command_line.h"

#include <string>
#include <vector>

#include "tests/runtime/expecting.h"

namespace {

// A program with an option of each kind.
struct Program {
  tfcarve::CommandLine command_line;
  bool flag = false;
  int number = 7;
  std::string file;
  std::vector<tfcarve::Binding> bindings;
  std::string error;

  bool Read(const std::vector<std::string>& words) {
    return tfcarve::ReadCommandLine(
        words,
        {tfcarve::Flag("--flag", &flag),
         tfcarve::NumberOption("--number", 1, 20, &number),
         tfcarve::FileOption("--file", &file),
         tfcarve::BindingsOption("--bind", "NAME=FILE", &bindings)},
        &command_line, &error);
  }
};

void ValuesFollowOptions() {
  Program program;
  Expect(program.Read({"--bind=b=c=d", "model.pb", "--flag", "--file", "e",
                       "--bind", "f=g"}),
         program.error);
  Expect(program.command_line.model == "model.pb", "the model");
  Expect(!program.command_line.help, "no help");
  Expect(program.flag, "the flag");
  Expect(program.file == "e", "the file");
  Expect(program.bindings.size() == 2 && program.bindings[0].name == "b" &&
             program.bindings[0].value == "c=d" &&
             program.bindings[1].name == "f" &&
             program.bindings[1].value == "g",
         "the bindings");
  Expect(program.number == 7, "an option that is not given");
}

void ADashIsNoOption() {
  Program program;
  Expect(program.Read({"-"}), program.error);
  Expect(program.command_line.model == "-", "the model is '-'");
}

void Help() {
  for (const std::string help : {"--help", "-h"}) {
    Program program;
    Expect(program.Read({help, "--unknown"}), program.error);
    Expect(program.command_line.help, help);
  }
}

void Errors() {
  struct Case {
    std::vector<std::string> words;
    std::string error;
  };
  const Case cases[] = {
      {{}, "no model given: see --help"},
      {{"a.pb", "b.pb"}, "more than one model: 'b.pb'"},
      {{"a.pb", "--fast=1"}, "unknown option '--fast'"},
      {{"a.pb", "--flag=1"}, "unknown option '--flag'"},
      {{"a.pb", "--file"}, "--file takes the name of a file"},
      {{"a.pb", "--bind", "x"}, "--bind takes NAME=FILE, not 'x'"},
      {{"a.pb", "--bind==x"}, "--bind takes NAME=FILE, not '=x'"},
      {{"a.pb", "--bind=x="}, "--bind takes NAME=FILE, not 'x='"},
      {{"a.pb", "--bind"}, "--bind takes NAME=FILE, not ''"},
  };
  for (const Case& c : cases) {
    Program program;
    Expect(!program.Read(c.words), "an error: " + c.error);
    Expect(program.error == c.error, program.error + ", not " + c.error);
  }
}

void Numbers() {
  Program program;
  for (const std::string good : {"1", "7", "20"}) {
    Expect(program.Read({"--number", good, "a.pb"}), good);
    Expect(program.number == std::stoi(good), good);
    program.command_line = {};
  }
  for (const std::string bad :
       {"", "0", "21", "-1", "+1", "1.5", "x", "9999999999", " 1", "0x1"}) {
    Expect(!program.Read({"a.pb", "--number", bad}), "rejected: " + bad);
    Expect(program.error ==
               "--number takes a number from 1 to 20, not '" + bad + "'",
           program.error);
    program.command_line = {};
  }
  Expect(program.number == 20, "a rejected number changes nothing");
}

}  // namespace

int main() {
  ValuesFollowOptions();
  ADashIsNoOption();
  Help();
  Errors();
  Numbers();
  return failures == 0 ? 0 : 1;
}
