import { hasTool, mayRunAll, mayWrite } from '../../domain/agent/tools.ts';

interface Rule {
  readonly toolName: readonly string[];
  readonly decision: 'allow' | 'ask_user' | 'deny';
  readonly priority: number;
}

/** A policy that outranks those of user and repository. A tool it does not allow is not offered. */
export function policyOf(tools: readonly string[]): string {
  const allowed = [
    ...(hasTool(tools, 'Read') ? ['read_file', 'read_many_files', 'list_directory'] : []),
    ...(hasTool(tools, 'Grep') ? ['grep_search', 'search_file_content'] : []),
    ...(hasTool(tools, 'Glob') ? ['glob'] : []),
    ...(mayWrite(tools) ? ['write_file', 'replace'] : []),
    ...(mayRunAll(tools) ? ['run_shell_command'] : []),
    ...(hasTool(tools, 'WebFetch') ? ['web_fetch'] : []),
    ...(hasTool(tools, 'WebSearch') ? ['google_web_search'] : []),
    ...['write_todos', 'update_topic', 'complete_task'],
  ];
  // The program asks Fleet about each command.
  const asked = hasTool(tools, 'Bash') && !mayRunAll(tools) ? ['run_shell_command'] : [];
  const rules: readonly Rule[] = [
    { toolName: ['*'], decision: 'deny', priority: 1 },
    { toolName: allowed, decision: 'allow', priority: 100 },
    ...(asked.length > 0 ? [{ toolName: asked, decision: 'ask_user' as const, priority: 200 }] : []),
  ];
  // One rule for all MCP servers, because a rule by name does not match at run time; only allowed servers are attached anyway.
  const own = '[[rule]]\nmcpName = "*"\ntoolName = "*"\ndecision = "allow"\npriority = 300\n';
  return [...rules.map(ruleText), own].join('\n');
}

const ruleText = ({ toolName, decision, priority }: Rule): string =>
  `[[rule]]\ntoolName = ${JSON.stringify(toolName.length === 1 ? toolName[0] : toolName)}\ndecision = "${decision}"\npriority = ${priority}\n`;
