import { z } from 'zod';
import { Project } from '../../domain/project/project.ts';
import { ProjectId } from '../../domain/values.ts';
import { part, records } from './record.ts';

export const projectIndex = { all: 'project.all' } as const;

export const projects = records<Project>({
  kind: 'project',
  schema: Project,
  idOf: ({ id }) => id,
  entriesOf: (project) =>
    project.removedAt ? [] : [{ index: projectIndex.all, sort: `${part(project.name.toLowerCase())}/${project.id}` }],
});

/** Which project has a name. Names are compared without regard to case and to how accents are composed. */
const NameOwner = z.strictObject({ name: z.string(), projectId: ProjectId });

export const canonical = (name: string): string => name.normalize('NFC').toLowerCase();

export const projectNames = records<z.infer<typeof NameOwner>>({
  kind: 'project-name',
  schema: NameOwner,
  idOf: ({ name }) => name,
  entriesOf: () => [],
});
