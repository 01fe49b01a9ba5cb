import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType, type IModule, type IViolation } from 'dependency-cruiser';
import { everyRoom, frontDoor, web } from '../rooms.ts';
import type { Check } from './finding.ts';

const tests = '[.]test[.]ts$';
const here = (name: string): string => `^src/${name}/`;

/** Each room keeps to its row of the table. Tests obey too: a test that needs more of the house lives in `test/`. */
const walls: IForbiddenRuleType[] = everyRoom.map(({ name, mayUse }) => ({
  name: `${name} may use ${mayUse.join(', ') || 'no other room'}`,
  severity: 'error',
  from: { path: here(name) },
  to: { path: '^(src|web)/', pathNot: [name, ...mayUse].map(here) },
}));

/** Members of a family: strangers to each other, and known by name only to the front door and to tests. */
const families: IForbiddenRuleType[] = everyRoom.flatMap(({ name, family }) => {
  if (!family) return [];
  const shared = family.shared.map((folder) => `${here(name)}${folder}/`);
  return [
    {
      name: `a member of ${name} never imports another`,
      severity: 'error',
      from: { path: `${here(name)}([^/]+)/`, pathNot: shared },
      to: { path: `${here(name)}[^/]+/`, pathNot: [`${here(name)}$1/`, ...shared] },
    },
    {
      name: `only ${frontDoor.name} names a member of ${name}`,
      severity: 'error',
      from: { path: '^src/', pathNot: [here(frontDoor.name), `${here(name)}(?!(?:${family.shared.join('|')})/)[^/]+/`, tests] },
      to: { path: `${here(name)}[^/]+/`, pathNot: shared },
    },
  ];
});

const others: IForbiddenRuleType[] = [
  {
    name: `nobody imports ${frontDoor.name}`,
    severity: 'error',
    from: { pathNot: [here(frontDoor.name), '^test/', '^bench/', '^tools/derive[.]ts$'] },
    to: { path: here(frontDoor.name) },
  },
  {
    name: `web may use ${web.mayUse.join(', ')}`,
    severity: 'error',
    from: { path: '^web/' },
    to: { path: '^src/', pathNot: web.mayUse.map(here) },
  },
  {
    name: 'the product never imports tests or tools',
    severity: 'error',
    from: { path: '^src/', pathNot: tests },
    to: { path: '^(test|tools|bench)/' },
  },
  { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
  { name: 'every import resolves', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^virtual:' } },
];

/** Proves the import table of tools/rooms.ts, and that it really looked: no modules seen is a failure, not a success. */
export const checkRooms: Check = async (root) => {
  const folders = ['src', 'web', 'test', 'tools', 'bench'].filter((folder) => existsSync(join(root, folder)));
  const { output } = await cruise(folders, {
    baseDir: root,
    ruleSet: { forbidden: [...walls, ...families, ...others] },
    validate: true,
    // Imports of types count: they are knowledge too.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types'],
    },
  });
  if (typeof output === 'string') throw new Error('dependency-cruiser answered with text where a result was expected');
  const { modules, violations } = judge(output);
  const present = everyRoom.filter(({ name }) => modules.some(({ source }) => source.startsWith(`src/${name}/`)));
  const own = modules.filter(({ source }) => source.startsWith('src/'));
  if (own.length === 0 || own.length <= present.length) {
    violations.push(
      `saw ${own.length} modules in ${present.length} rooms: the check did not look at the house (is \`typescript\` below 7?)`,
    );
  }
  return { violations, notes: [`${own.length} modules, ${present.length} rooms`] };
};

function judge(result: ICruiseResult): { modules: IModule[]; violations: string[] } {
  const modules = result.modules.filter(({ source }) => !source.includes('node_modules'));
  const broken = result.summary.violations.map(describe);
  return { modules, violations: [...new Set(broken), ...modules.flatMap(foreignPackages)] };
}

/** A cycle is reported once, from its first file by name, with its whole path. */
function describe({ rule, from, to, cycle }: IViolation): string {
  if (!cycle) return `${rule.name}: ${from} -> ${to}`;
  const path = cycle.map(({ name }) => name);
  const first = path.indexOf(path.toSorted()[0] ?? '');
  const turned = [...path.slice(first), ...path.slice(0, first)];
  return `${rule.name}: ${[...turned, turned[0]].join(' -> ')}`;
}

/** Rooms that must run anywhere name the packages they may import. Their tests may use what tests need. */
function foreignPackages({ source, dependencies }: IModule): string[] {
  const room = everyRoom.find(({ name }) => source.startsWith(`src/${name}/`));
  if (!room?.packages || /[.]test[.]ts$/.test(source)) return [];
  const allowed = room.packages;
  return dependencies
    .map(({ module }) => module)
    .filter((module) => !module.startsWith('.'))
    .map((module) =>
      isBuiltin(module)
        ? 'node'
        : module
            .split('/')
            .slice(0, module.startsWith('@') ? 2 : 1)
            .join('/'),
    )
    .filter((name) => !allowed.includes(name))
    .map((name) => `${room.name} may import ${allowed.join(', ')} and nothing else: ${source} -> ${name}`);
}
