import type { OperationName } from '../../contract/index.ts';

/** What people type most; shown at the end of a help page. */
export const EXAMPLES: Readonly<Partial<Record<OperationName, readonly string[]>>> = {
  'home.init': ['fleet init', 'fleet init --home ./try-out'],
  'config.show': ['fleet config show', 'fleet config show max_concurrent'],
  'config.set': [
    'fleet config set max_concurrent=5 executor=codex',
    'fleet config set limit_executor.claude=2',
    'fleet config set model=',
  ],
  'project.add': ["fleet project add . --name site --verify 'npm test'", 'fleet project add ~/notes --plain'],
  'project.set': ["fleet project set site --verify 'npm test' --max-concurrent 2", 'fleet project set site --clear verify'],
  'task.create': [
    "fleet task create --prompt 'Fix the login test'",
    'fleet task create --project site --prompt-file plan.md --executor claude --executor codex',
    "fleet task create --prompt 'Release notes' --after 7k2m9xqa --priority 2",
    'git diff | fleet task create --title Review --kind review --prompt -',
  ],
  'task.edit': ['fleet task edit 7k2m9xqa --priority 0', 'fleet task edit 7k2m9xqa --clear model --clear after'],
  'task.list': [
    'fleet task list',
    'fleet task list --state blocked --state failed --project site',
    'fleet task list --json | jq .items[].title',
  ],
  'task.show': ['fleet task show 7k2m9xqa'],
  'task.log': ['fleet task log 7k2m9xqa', 'fleet task log 7k2m9xqa --follow', 'fleet task 7k2m9xqa log --tail 20'],
  'task.wait': ['fleet task wait 7k2m9xqa 8a2m9xqb', 'fleet task wait 7k2m9xqa --timeout 600 && git pull'],
  'task.send': ["fleet task send 7k2m9xqa 'leave the parser alone'"],
  'task.retry': ['fleet task retry 7k2m9xqa'],
  'task.resume': ['fleet task resume 7k2m9xqa', "fleet task resume 7k2m9xqa 'the server is up again'"],
  'run.list': ['fleet run list', 'fleet run list --task 7k2m9xqa'],
  'run.log': ['fleet run log 3tq8w1ze', 'fleet run log 3tq8w1ze --stream err'],
  'task.comment': ["fleet task comment 7k2m9xqa 'the flaky test is known, leave it'"],
  'task.cancel': ["fleet task cancel 7k2m9xqa --why 'done by hand'"],
  'task.claim': ['fleet task claim 7k2m9xqa', 'fleet task claim 7k2m9xqa --as ada'],
  'task.complete': ["fleet task complete 7k2m9xqa --summary 'moved the parser'"],
  'task.export': ['fleet task export > tasks.jsonl', 'fleet task export --project site --file tasks.jsonl'],
  'task.import': ['fleet task import tasks.jsonl', 'fleet task import .beads/issues.jsonl --project site'],
  'question.answer': ["fleet question answer 5vd0c2pz 'use the second one'", 'fleet question answer 5vd0c2pz 2'],
  'question.ask': ["fleet question ask 'Which port?' --option 8080 --option 9090"],
  'db.backup': ['fleet db backup', 'fleet db backup fleet.backup'],
  'db.prune': ['fleet db prune --dry-run', 'fleet db prune --older-than-days 30'],
};
