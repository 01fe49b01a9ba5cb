import { z } from 'zod';
import { ProjectSpec } from '../domain/project/project.ts';
import { Path } from '../domain/values.ts';
import { operation } from './operation.ts';
import { ifSeq, ProjectRef, ProjectView, page } from './shapes.ts';

const wish = ProjectSpec.shape;

const wishes = {
  description: wish.description.optional().describe('description of the project'),
  targetBranch: wish.targetBranch.describe('branch finished work lands on; by default the one checked out'),
  setup: wish.setup.describe('command that makes a new workspace ready, like npm ci'),
  setupInput: wish.setupInputs.describe(
    'file the set-up depends on, as a pattern like package-lock.json; may be repeated; without any, the set-up runs again after every change of a file',
  ),
  verify: wish.verify.describe('command that must succeed before work counts as done, like npm test'),
  copyFile: wish.copyFiles.optional().describe('ignored file to copy into a new workspace, like .env; may be repeated'),
  mcpServers: wish.mcpServers
    .optional()
    .describe(
      'JSON object of MCP servers for its agents, each with command, args and env, or url and headers; secrets as ${env:NAME} or ${file:/PATH}',
    ),
  executor: wish.executor.describe('executor of tasks that name none'),
  model: wish.model.describe('model of tasks that name none'),
  effort: wish.effort.describe('effort of tasks that name none'),
  integration: wish.integration.describe('what happens to finished work'),
  isolation: wish.isolation.describe('where agents work'),
  push: wish.push.describe('push the target branch after each landing'),
  maxConcurrent: wish.maxConcurrent.describe('maximum number of runs at once in this project'),
  allowExecutor: wish.allowExecutors.describe('executor that tasks may use; others are refused; may be repeated'),
  sandbox: wish.sandbox.describe('`required`: every task must run in the sandbox'),
  maxBudgetUsd: wish.maxBudgetUsd.describe('maximum dollars one task may cost'),
};

export const addProject = operation({
  name: 'project.add',
  kind: 'command',
  role: 'team-lead',
  summary: 'Add a repository in which agents can work.',
  input: z.strictObject({
    path: Path.describe('directory of the repository'),
    name: wish.name.optional().describe('name of the project; by default that of the directory'),
    plain: z.boolean().default(false).describe('add a directory without git: agents work in place, without branches or merging'),
    ...wishes,
  }),
  output: ProjectView,
  faults: ['invalid', 'forbidden', 'not_found', 'conflict', 'unavailable'],
});

export const listProjects = operation({
  name: 'project.list',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'List the projects.',
  input: z.strictObject({}),
  output: page(ProjectView),
  faults: ['unavailable'],
});

export const showProject = operation({
  name: 'project.show',
  kind: 'query',
  ofRows: true,
  role: 'monitor',
  summary: 'Show one project and its settings.',
  input: z.strictObject({ project: ProjectRef }),
  output: ProjectView,
  faults: ['not_found', 'unavailable'],
});

export const setProject = operation({
  name: 'project.set',
  kind: 'command',
  role: 'team-lead',
  summary: 'Change the settings of a project.',
  input: z.strictObject({
    project: ProjectRef,
    name: wish.name.optional().describe('new name of the project'),
    ...wishes,
    clear: z
      .array(
        z.enum([
          'targetBranch',
          'setup',
          'setupInput',
          'verify',
          'copyFile',
          'mcpServers',
          'executor',
          'model',
          'effort',
          'integration',
          'isolation',
          'push',
          'maxConcurrent',
          'allowExecutor',
          'sandbox',
          'maxBudgetUsd',
          'description',
        ]),
      )
      .default([])
      .describe('field to clear; may be repeated'),
    ifSeq,
  }),
  output: ProjectView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const removeProject = operation({
  name: 'project.remove',
  kind: 'command',
  role: 'team-lead',
  summary: 'Remove a project that has no open task; its files are not touched.',
  input: z.strictObject({ project: ProjectRef, ifSeq }),
  output: ProjectView,
  faults: ['not_found', 'conflict', 'unavailable'],
});
