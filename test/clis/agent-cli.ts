/** A coding agent's own program, as a user installs it. */
export interface AgentCli {
  readonly name: string;
  /** As its maker calls it. */
  readonly title: string;
  /** The one that was looked at; agents change their habits within weeks. */
  readonly version: string;
  /** What holds the binary for this machine: a package, and the file in it. Undefined when its maker has none. */
  readonly binary: { readonly spec: string; readonly file: string } | undefined;
  /** Variables that give it a model at that address and keep it from looking for anything else. */
  surroundings(modelUrl: string): Readonly<Record<string, string>>;
  /** A variable that makes it show its model every tool of every server at once. */
  readonly showAll: Readonly<Record<string, string>>;
  /** Arguments of a run without a person; the prompt comes after them. */
  headless(needs: HeadlessNeeds): readonly string[];
  /** What the model said last. Throws unless the program itself says that all went well. */
  lastWords(output: string): string;
  /** What a user of it has at home, by path. */
  readonly belongings: Readonly<Record<string, string>>;
  /** What of such a file its user wrote; some hold the program's own notes beside it. */
  settingsIn(path: string, text: string): unknown;
  /** What its lines mean to Fleet: the rules of a custom executor. */
  readonly rules: string;
}

export interface HeadlessNeeds {
  /** Absent where its surroundings lead it to a model. */
  readonly modelUrl?: string;
  /** How it comes to Fleet's MCP server: by this command, over HTTP, by what a run is given, or as its user has attached it. */
  readonly fleet: McpServerCommand | McpServerAddress | 'of the run' | 'attached';
}

export interface McpServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface McpServerAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const jsonLines = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
