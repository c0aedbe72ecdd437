"""Breaks the device in one place at a time, each of which an audit once found untested, and fails where a suite of tests does not notice.

device.py <project> <build of the preset dev>: tries every mutant; some minutes, in `make soak`.
device.py <project>: only whether each still has its place, once; in `make test`.

A source is compiled anew and linked before the library that has the right one; ppgnn.js is replaced in a copy of what its tests read.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

# Which executable has a suite of tests.
EXECUTABLES = {
    'test_client': ['CApi', 'CApiBounds', 'Client', 'ConstantWork', 'DecideAtHome', 'DecideInC', 'Features', 'FileStorage', 'Ledger', 'LedgerImages', 'Limits', 'Agreement'],
    'test_client_allocations': ['Freed'],
    'test_client_durability': ['Durability'],
    'test_client_image': ['MemoryImage'],
    'test_ldp': ['AnswerResponse', 'Certificate', 'Decide', 'Estimator', 'ExactEstimates', 'Hint', 'Perturb', 'Plan', 'Question', 'SignBits', 'SubsetResponse'],
    'test_enumeration': ['Enumeration'],
}
SCRIPTS = {'device.mjs': ['vectors.json'], 'calls.mjs': ['vectors.json']}  # of tests/web, with what they take

CERTIFICATE = 'src/ldp/certificate.cpp'
SUBSETS = 'src/ldp/subset_response.cpp'
SIGNS = 'src/ldp/sign_bits.cpp'
LEDGER = 'src/client/ledger.cpp'
LIMITS = 'src/client/limits.cpp'
CLIENT = 'src/client/client.cpp'
FILES = 'src/client/file_storage.cpp'
MODEL = 'src/ldp/published_model.cpp'
HINT = 'src/ldp/hint.cpp'
DECIDE = 'src/ldp/decide.cpp'
C_API = 'src/client/c_api.cpp'
JAVASCRIPT = 'web/ppgnn.js'

# Name, file, what stands there, what takes its place, suites that must notice.
MUTANTS = [
    # Several draws of a set, several levels, many signs.
    ('two_draws_certified', SUBSETS, 'return outward(shape.sampled * one);\n}\n\ndouble SubsetResponse::cap',
     'return outward(std::min(shape.sampled, 2u) * one);\n}\n\ndouble SubsetResponse::cap', 'SubsetResponse Enumeration'),
    ('two_draws_estimated', SUBSETS, '+= 1 / (gain * shape.sampled)', '+= 1 / (gain * std::min(shape.sampled, 2u))',
     'SubsetResponse ExactEstimates'),
    ('room_for_eight_levels', CLIENT, 'level <= plan_.levels().size(); ++level) {', 'level <= std::min<std::size_t>(8, plan_.levels().size()); ++level) {',
     'Client CApiBounds'),
    ('sixteen_levels_certified', CERTIFICATE, 'i < levels.size(); ++i) {\n    for (std::size_t j = 0; j < levels.size(); ++j) {',
     'i < std::min<std::size_t>(16, levels.size()); ++i) {\n    for (std::size_t j = 0; j < std::min<std::size_t>(16, levels.size()); ++j) {',
     'Certificate Client'),
    ('sixty_four_signs_certified', SIGNS, 'outward(shape.sampled * log_rise(', 'outward(std::min(shape.sampled, 64u) * log_rise(',
     'SignBits Client'),
    ('sixty_four_signs_estimated', SIGNS, 'i < report.columns.size(); ++i) {\n    out.push_back', 'i < std::min<std::size_t>(64, report.columns.size()); ++i) {\n    out.push_back',
     'SignBits Perturb'),
    # Forged plans, and certificates at the edge.
    ('public_levels_not_held', CERTIFICATE, '    require(certificate.features[i] + certificate.level_report',
     '    if (i > 0 && tables.secrecy == LevelSecrecy::public_level) continue;\n    require(certificate.features[i] + certificate.level_report',
     'Certificate Client'),
    ('certificate_1e-9_too_wide', CERTIFICATE, 'if (loss <= claim) return;', 'if (loss <= claim * (1 + 1e-9)) return;', 'Certificate Client'),
    ('certificate_1e-13_too_wide', CERTIFICATE, 'if (loss <= claim) return;', 'if (loss <= claim * (1 + 1e-13)) return;', 'Certificate Client'),
    # Limits.
    ('report_limit_not_met_exactly', LIMITS, '<= limits.report)', '< limits.report)', 'Limits CApiBounds'),
    ('level_report_not_counted', LIMITS, 'most = std::max(most, ldp::spent(plan, level));',
     'most = std::max(most, plan.certificate().features[level]);', 'Limits CApiBounds'),
    ('last_level_counted', LIMITS, 'most = std::max(most, ldp::spent(plan, level));', 'most = ldp::spent(plan, level);', 'Limits CApiBounds'),
    ('lifetime_not_met_exactly', LEDGER, 'counted + wanted.counted <= limits.lifetime', 'counted + wanted.counted < limits.lifetime', 'Ledger CApiBounds'),
    ('one_report_more', LEDGER, 'if (reports >= limits.reports) {', 'if (reports > limits.reports) {', 'Ledger CApiBounds'),
    # Ledgers.
    ('not_asked_takes_others_along', LEDGER, 'entries->state == EntryState::reported ||\n        !same_campaign(*entries, made.campaign, made.plan))',
     'entries->state == EntryState::reported)', 'Ledger CApiBounds'),
    ('two_hundred_and_fifty_six_entries', LEDGER, 'set_number(kCountAt, 4, count + 1);', 'set_number(kCountAt, 4, (count + 1) & 0xff);', 'Ledger CApiBounds'),
    ('what_may_not_be_read_is_none', FILES, 'return errno == ENOENT ? 0', 'return errno == ENOENT || errno == EACCES ? 0', 'FileStorage Durability'),
    ('counter_far_ahead', LEDGER, 'own - 1 != counter) {', 'own - 1 > counter) {', 'Ledger CApiBounds'),
    ('counter_far_behind', LEDGER, 'own - 1 != counter) {', 'own - 1 < counter) {', 'Ledger CApiBounds'),
    ('not_asked_with_a_report', LEDGER, 'if (entry.counted != 0 || entry.features != 0 || entry.level != 0 || !entry.report.empty()) return {};', '', 'LedgerImages CApiBounds'),
    ('infinite_spending', LEDGER, ' || std::isinf(entry.counted)', '', 'LedgerImages CApiBounds'),
    ('negative_spending', LEDGER, 'if (!(value >= 0) || std::signbit(value)) ok_ = false;', '', 'LedgerImages CApiBounds'),
    ('bytes_behind_the_entries', LEDGER, 'return left_ == 0 && reader_.at_end();', 'return left_ == 0;', 'LedgerImages CApiBounds'),
    ('digest_without_odds', 'src/ldp/question.cpp', 'hash.update(question.bytes_);',
     'hash.update(std::span(question.bytes_).first(2 + classes.size()));', 'Question Ledger'),
    # What is said about levels, and buffers.
    ('first_level_for_all', C_API, 'const double loss = plan.certificate().features[level - 1];', 'const double loss = plan.certificate().features[0];',
     'CApi CApiBounds'),
    ('text_one_byte_short', C_API, 'capacity <= text.size())', 'capacity < text.size())', 'CApi CApiBounds'),
    ('report_one_byte_short', C_API, 'buffer == nullptr || capacity < most)', 'buffer == nullptr || capacity + 1 < most)', 'CApi CApiBounds'),
    ('again_one_byte_short', C_API, 'capacity < bytes.size()) return PPGNN_TOO_SMALL;', 'capacity + 1 < bytes.size()) return PPGNN_TOO_SMALL;', 'CApi CApiBounds'),
    ('features_one_short', C_API, 'values == nullptr || capacity < listed)', 'values == nullptr || capacity + 1 < listed)', 'Features CApiBounds'),
    # Memory and descriptors.
    ('ledger_not_wiped', LEDGER, '  unlock();\n  wipe(buffer_.data(), buffer_.size());', '  unlock();', 'Freed MemoryImage'),
    ('grown_ledger_not_wiped', LEDGER, '  wipe(buffer_.data(), buffer_.size());\n  buffer_.swap(larger);', '  buffer_.swap(larger);', 'Freed MemoryImage'),
    ('report_not_wiped', CLIENT, '  wipe(bytes_.data(), size);  // one that was not kept is gone\n', '', 'Freed MemoryImage'),
    ('descriptors_inherited', FILES, 'flags | O_CLOEXEC, mode', 'flags, mode', 'FileStorage Durability'),
    # Decisions at home.
    ('model_not_held', LEDGER, 'if (entries->plan != made.plan || entries->question != made.question)', 'if (entries->question != made.question)',
     'DecideAtHome DecideInC'),
    ('hint_not_held', LEDGER, 'if (entries->plan != made.plan || entries->question != made.question)', 'if (entries->plan != made.plan)',
     'DecideAtHome DecideInC'),
    ('decided_takes_not_asked_along', LEDGER, 'if (made.state != EntryState::reported || ', 'if (', 'DecideAtHome DecideInC'),
    ('decided_stands_for_reported', LEDGER, 'return entry.state != EntryState::decides && ', 'return ', 'DecideAtHome DecideInC'),
    ('decided_without_a_note', CLIENT, '  if (Result<void> noted = ledger.note_decides(campaign(), model_.hash, hint_->bytes()); !noted) return noted.error();\n', '',
     'DecideAtHome DecideInC'),
    ('any_row_decided', CLIENT, '  if (std::string problem = misfit(features); !problem.empty()) return refuse(std::move(problem));\n  if (Result<void> noted',
     '  if (Result<void> noted', 'DecideAtHome DecideInC'),
    ('refused_model_stays', CLIENT, '  hint_.reset();\n', '', 'DecideAtHome DecideInC'),
    ('text_behind_the_model', MODEL, ' && reader.at_end()) return {};', ') return {};', 'DecideAtHome DecideInC'),
    ('first_class_has_odds', HINT, 'out[bytes_[2]] = 0;', '', 'Hint DecideAtHome'),
    ('second_class_as_others', HINT, 'out[bytes_[3]] = model.second[bytes_[4]];', '', 'Hint DecideAtHome'),
    ('one_class_twice', HINT, ' && bytes[2] != bytes[3]', '', 'Hint DecideAtHome'),
    ('a_ninth_step', HINT, 'bytes[4] < kHintSteps', 'bytes[4] <= kHintSteps', 'Hint DecideAtHome'),
    ('hints_of_either_kind', HINT, '  if (bytes[1] != (model.hint == HintKind::coarse ? coarse_form : full_form)) return false;\n', '', 'Hint DecideAtHome'),
    ('evidence_of_its_own', DECIDE, 'length_factor(model, static_cast<std::uint64_t>(total)) * evidence)',
     'length_factor(model, static_cast<std::uint64_t>(total)) + 0 * evidence)', 'Decide DecideAtHome'),
    ('all_speak_for', DECIDE, 'return mean < 0 ? -nats : nats;', 'return nats;', 'Decide DecideAtHome'),
    ('lead_without_bias', DECIDE, 'model.biases[decision.first]} - model.biases[decision.second];', 'model.biases[decision.first]} * 0;', 'Decide DecideAtHome'),
    ('last_group_has_no_reason', DECIDE, '  groups[static_cast<std::size_t>(group - begin)] = lead();\n  return decision;', '  return decision;', 'Decide DecideAtHome'),
    ('more_than_certain', DECIDE, '1 + (kCertain - classes) * likely[c] / all', '1 + kCertain * likely[c] / all', 'Decide DecideAtHome'),
    # JavaScript.
    ('js_lifetime_is_the_reports', JAVASCRIPT, 'view.setFloat64(8, lifetime, true);', 'view.setFloat64(8, Infinity, true);', 'device.mjs calls.mjs'),
    ('js_reports_without_end', JAVASCRIPT, 'view.setBigUint64(16, count, true);', 'view.setBigUint64(16, 2n ** 64n - 1n, true);', 'device.mjs calls.mjs'),
    ('js_first_level_for_all', JAVASCRIPT, "this.#call('ppgnn_level', level, at);", "this.#call('ppgnn_level', 1, at);", 'device.mjs calls.mjs'),
    ('js_features_stay', JAVASCRIPT, '      copy.fill(0);\n', '', 'device.mjs calls.mjs'),
    ('js_memory_stays', JAVASCRIPT, '    for (const at of this.blocks) this.module.ppgnn_web_free(at);\n', '', 'device.mjs calls.mjs'),
    ('js_ledger_stays', JAVASCRIPT, '          this.#module.ppgnn_web_ledger(0, 0, 0); // forgets it\n', '', 'device.mjs calls.mjs'),
]


def mutated(project, name, path, there, instead):
    text = (project / path).read_text()
    if text.count(there) != 1:
        sys.exit(f"{name}: {there!r} stands {text.count(there)} times in {path}, not once")
    return text.replace(there, instead)


def run(command, folder, **more):
    return subprocess.run(command, cwd=folder, shell=isinstance(command, str), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **more)


def must(command, folder):
    done = run(command, folder)
    if done.returncode != 0:
        sys.exit(f'{command}\n{done.stdout}')
    return done.stdout


class Tries:
    """One mutant after the other, with the compile and link commands of a build."""

    def __init__(self, project, build):
        self.project, self.build, self.work = project, build, build / 'mutants'
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        compiled = json.loads((build / 'compile_commands.json').read_text())
        self.commands = {Path(one['file']).resolve(): one for one in compiled}
        self.links = {}

    def link_of(self, executable):
        if executable not in self.links:
            lines = must(['ninja', '-t', 'commands', f'tests/{executable}'], self.build).splitlines()
            self.links[executable] = next(line for line in reversed(lines) if f' -o tests/{executable} ' in line).split(' && ')[1]
        return self.links[executable]

    def compiled(self, name, path, text):
        one = self.commands[(self.project / path).resolve()]
        source, target = self.work / f'{name}.cpp', self.work / f'{name}.o'
        source.write_text(text)
        words = one['command'].split(' -o ')[0]
        must(f'{words} -Wno-error -o {target} -c {source}', one['directory'])
        return target

    def notices(self, name, suite, path, text):
        """Whether a suite fails with this mutant."""
        if suite in SCRIPTS:
            return self.script_notices(name, suite, text)
        executable = next(one for one, suites in EXECUTABLES.items() if suite in suites)
        target = self.work / f'{name}.o'
        if not target.exists():
            self.compiled(name, path, text)
        made = self.work / f'{name}.{executable}'
        if not made.exists():
            must(self.link_of(executable).replace(f' -o tests/{executable} ', f' {target} -o {made} '), self.build)
        tried = run([str(made), f'--gtest_filter={suite}.*', '--gtest_brief=1'], self.build, timeout=600)
        return tried.returncode != 0

    def script_notices(self, name, script, text):
        copy = self.work / name
        for folder in ('web', 'tests/web'):
            if not (copy / folder).exists():
                shutil.copytree(self.project / folder, copy / folder)
        (copy / 'web/ppgnn.js').write_text(text)
        inputs = [str(self.build / 'tests/web' / one) for one in SCRIPTS[script]]
        environment = {**os.environ, 'PPGNN_WEB': str(self.project / 'build/wasm/web')}
        return run(['node', str(copy / 'tests/web' / script), *inputs], copy, env=environment, timeout=600).returncode != 0


def main():
    project = Path(sys.argv[1])
    texts = {name: mutated(project, name, path, there, instead) for name, path, there, instead, _ in MUTANTS}
    tests = ''.join(one.read_text() for one in project.glob('tests/*/*.cpp'))
    for name, _, _, _, suites in MUTANTS:
        assert len(suites.split()) == 2, name
        for suite in suites.split():
            there = (project / 'tests/web' / suite).exists() if suite in SCRIPTS else f'TEST({suite}, ' in tests
            if not there:
                sys.exit(f'{name}: there is no suite {suite}')
    if len(sys.argv) < 3:
        return
    tries = Tries(project, Path(sys.argv[2]).resolve())
    wanted = sys.argv[3:]
    survivors = []
    for name, path, _, _, suites in MUTANTS:
        if wanted and name not in wanted:
            continue
        for suite in suites.split():
            if not tries.notices(name, suite, path, texts[name]):
                survivors.append(f'{name} survives {suite}')
                print(survivors[-1], flush=True)
        for rest in tries.work.glob(f'{name}.*'):
            if rest.is_file():
                rest.unlink()
    print(f'{len(wanted or MUTANTS)} mutants tried, {len(survivors)} survivals')
    if survivors:
        sys.exit(1)


main()
