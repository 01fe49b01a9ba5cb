interface View {
  readonly kind: string;
  /** Column to the path of the field in the body. */
  readonly columns: Readonly<Record<string, string>>;
}

/** What a person sees who opens the database with `sqlite3`. */
export const VIEWS: Readonly<Record<string, View>> = {
  tasks: {
    kind: 'task',
    columns: {
      id: 'id',
      title: 'title',
      state: 'phase.state',
      project: 'projectId',
      priority: 'priority',
      created_at: 'createdAt',
      updated_at: 'updatedAt',
    },
  },
  projects: { kind: 'project', columns: { id: 'id', name: 'name', path: 'path' } },
  runs: { kind: 'run', columns: { id: 'id', task: 'taskId', state: 'state' } },
  questions: { kind: 'question', columns: { id: 'id', task: 'taskId', text: 'text', state: 'state' } },
  journal: {
    kind: 'journal',
    columns: { n: 'n', at: 'at', by: 'by', what: 'what', from: 'from', to: 'to', why: 'why' },
  },
};
