/** Hosts where the known agents reach their models and renew their log-in, and hosts of the common package registries. */
export const DEFAULT_SANDBOX_HOSTS = [
  ...['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com', 'claude.ai'],
  ...['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  ...['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'aiplatform.googleapis.com'],
  ...['openrouter.ai', 'opencode.ai', 'models.dev', 'api.githubcopilot.com', 'dashscope.aliyuncs.com', 'chat.qwen.ai'],
  ...['registry.npmjs.org', 'pypi.org', 'files.pythonhosted.org', 'static.crates.io', 'index.crates.io', 'proxy.golang.org'],
  ...['sum.golang.org', 'rubygems.org', 'repo.maven.apache.org'],
];
