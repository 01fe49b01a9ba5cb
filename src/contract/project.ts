import { z } from 'zod';
import { ProjectWish } from '../domain/project/project.ts';
import { Path } from '../domain/values.ts';
import { operation } from './operation.ts';
import { ifSeq, ProjectRef, ProjectView, page } from './shapes.ts';

const wish = ProjectWish.shape;

const wishes = {
  description: wish.description.optional().describe('what the project is'),
  targetBranch: wish.targetBranch.describe('branch finished work lands on; the one checked out by default'),
  setup: wish.setup.describe('command that makes a new workspace ready'),
  setupInput: wish.setupInputs.describe(
    'file the set-up depends on, as a pattern like package-lock.json; may be repeated; without any, every change of a file makes it run again',
  ),
  verify: wish.verify.describe('command that must succeed before work counts as done'),
  copyFile: wish.copyFiles.optional().describe('ignored file to copy into a new workspace, like .env; may be repeated'),
  mcpServers: wish.mcpServers
    .optional()
    .describe(
      'JSON object of MCP servers for its agents, each with command, args and env, or url and headers; secrets as ${env:NAME} or ${file:/PATH}',
    ),
  executor: wish.executor.describe('executor of its tasks when they name none'),
  model: wish.model.describe('model of its tasks when they name none'),
  effort: wish.effort.describe('effort of its tasks when they name none'),
  integration: wish.integration.describe('what happens to finished work'),
  isolation: wish.isolation.describe('where its agents work'),
  push: wish.push.describe('push the target branch after each landing'),
  maxConcurrent: wish.maxConcurrent.describe('most runs at once in this project'),
  allowExecutor: wish.allowExecutors.describe('executor that may do its tasks, and no other; may be repeated'),
  sandbox: wish.sandbox.describe('`required`: nothing is started in it without the sandbox'),
  maxBudgetUsd: wish.maxBudgetUsd.describe('most dollars that one of its tasks may cost'),
};

export const addProject = operation({
  name: 'project.add',
  kind: 'command',
  role: 'team-lead',
  summary: 'Make a repository known, so that agents can work in it.',
  input: z.strictObject({
    path: Path.describe('directory of the repository'),
    name: wish.name.optional().describe('name to call it by; that of the directory by default'),
    plain: z.boolean().default(false).describe('accept a directory without git: work in place, no branches, no merging'),
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
  summary: 'Show one project and what is set for it.',
  input: z.strictObject({ project: ProjectRef }),
  output: ProjectView,
  faults: ['not_found', 'unavailable'],
});

export const setProject = operation({
  name: 'project.set',
  kind: 'command',
  role: 'team-lead',
  summary: 'Change what is set for a project.',
  input: z.strictObject({
    project: ProjectRef,
    name: wish.name.optional().describe('its new name'),
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
      .describe('a field to empty; may be repeated'),
    ifSeq,
  }),
  output: ProjectView,
  faults: ['invalid', 'not_found', 'forbidden', 'conflict', 'unavailable'],
});

export const removeProject = operation({
  name: 'project.remove',
  kind: 'command',
  role: 'team-lead',
  summary: 'Forget a project that has no open task; its files are not touched.',
  input: z.strictObject({ project: ProjectRef, ifSeq }),
  output: ProjectView,
  faults: ['not_found', 'conflict', 'unavailable'],
});
