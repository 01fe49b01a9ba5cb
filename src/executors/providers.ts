/*
 * Known environment variables, by who reads them. Variables of an executor's own program are in its `program.variables`. Here
 * are the others: those of providers without an executor, general ones, and those by which an agent tells its children that
 * they run inside it. `*` stands for any letters.
 */

/** Keys, addresses and switches of model providers and agents. Each reaches only the agent whose executor names it. */
export const PROVIDER_VARIABLES: readonly string[] = [
  ...['ANTHROPIC_*', 'CLAUDE_*', 'OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*', 'GEMINI_*', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_*'],
  ...['GOOGLE_GENERATIVE_AI_*', 'GOOGLE_GEMINI_*', 'GOOGLE_VERTEX_*', 'VERTEX_*', 'VERTEXAI_*', 'AWS_BEARER_TOKEN_BEDROCK'],
  ...['OPENROUTER_*', 'GROQ_*', 'MISTRAL_*', 'CODESTRAL_*', 'DEEPSEEK_*', 'XAI_*', 'GROK_*', 'TOGETHER_*', 'TOGETHERAI_*'],
  ...['FIREWORKS_*', 'CEREBRAS_*', 'COHERE_*', 'CO_API_KEY', 'PERPLEXITY_*', 'PPLX_*', 'DASHSCOPE_*', 'BAILIAN_*', 'QWEN_*'],
  ...['MOONSHOT_*', 'KIMI_*', 'ZHIPU_*', 'ZHIPUAI_*', 'ZAI_*', 'Z_AI_*', 'MINIMAX_*', 'NVIDIA_API_KEY', 'SAMBANOVA_*'],
  ...['NOVITA_*', 'DEEPINFRA_*', 'HYPERBOLIC_*', 'BASETEN_*', 'REPLICATE_*', 'OLLAMA_API_KEY', 'LITELLM_*', 'AI_GATEWAY_*'],
  ...['PORTKEY_*', 'HELICONE_*', 'COPILOT_*', 'CURSOR_*', 'AMP_API_KEY', 'AMP_URL', 'FACTORY_API_KEY', 'AUGMENT_*'],
  ...['OPENCODE_*', 'ANTIGRAVITY_*', 'JULES_*', 'WARP_API_KEY', 'VOYAGE_*'],
];

/** General variables that any agent's work may need. An executor that names one does not own it. */
export const GENERAL_VARIABLES: readonly string[] = [
  ...['AWS_*', 'GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_*', 'GCLOUD_*', 'CLOUDSDK_*', 'CLOUD_ML_REGION'],
  ...['AZURE_*', 'GH_*', 'GITHUB_*', 'HF_TOKEN', 'NODE_*', 'XDG_*'],
];

/** Proxies and certificate authorities. */
export const NETWORK_VARIABLES: readonly string[] = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'FTP_PROXY', 'WS_PROXY', 'WSS_PROXY'],
  ...['http_proxy', 'https_proxy', 'all_proxy', 'no_proxy', 'ftp_proxy', 'ws_proxy', 'wss_proxy', 'GLOBAL_AGENT_*'],
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'NODE_USE_ENV_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NIX_SSL_CERT_FILE'],
  ...[
    'REQUESTS_CA_BUNDLE',
    'CURL_CA_BUNDLE',
    'AWS_CA_BUNDLE',
    'GIT_SSL_CAINFO',
    'GIT_SSL_CAPATH',
    'PIP_CERT',
    'HTTPLIB2_CA_CERTS',
  ],
  ...['CARGO_HTTP_CAINFO', 'DENO_CERT', 'DENO_TLS_CA_STORE', 'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH', 'UV_NATIVE_TLS'],
  ...['CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE', 'CODEX_CA_CERTIFICATE'],
];

/**
 * Variables about the parent process that are wrong for a program that Fleet starts: markers of an agent that runs Fleet (some
 * agents refuse to run inside themselves, or report to the outer one), the repository of a hook, the terminal of a person.
 */
export const PARENT_VARIABLES: readonly string[] = [
  ...['CLAUDECODE', 'CLAUDE_PID', 'CLAUDE_PROJECT_DIR', 'CLAUDE_ENV_FILE', 'CLAUDE_AGENT_SDK_*', 'CLAUDE_CODE_ENTRYPOINT'],
  ...['CLAUDE_CODE_SSE_PORT', 'CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_EXECPATH', 'CLAUDE_CODE_AGENT*', 'CLAUDE_CODE_TEAM*'],
  ...['CLAUDE_CODE_TASK_*', 'CLAUDE_CODE_PARENT_*', 'CLAUDE_CODE_CONTAINER_ID', 'CLAUDE_CODE_REMOTE*', 'CLAUDE_CODE_CHILD_*'],
  ...['CODEX_SANDBOX', 'CODEX_SANDBOX_*', 'CODEX_THREAD_ID', 'CODEX_CI', 'CODEX_MANAGED_*', 'CODEX_INTERNAL_*'],
  ...['GEMINI_CLI', 'GEMINI_CLI_NO_RELAUNCH', 'QWEN_CODE', 'QWEN_CODE_NO_RELAUNCH', 'COPILOT_CLI', 'COPILOT_AGENT_*'],
  ...['OPENCODE', 'OPENCODE_PID', 'OPENCODE_RUN_ID', 'OPENCODE_PROCESS_ROLE', 'AGENT', 'CURSOR_AGENT', 'CURSOR_TRACE_ID'],
  ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_PREFIX', 'GIT_NAMESPACE'],
  ...[
    'GIT_ALTERNATE_OBJECT_DIRECTORIES',
    'GIT_CONFIG',
    'GIT_CONFIG_PARAMETERS',
    'GIT_CEILING_DIRECTORIES',
    'GIT_QUARANTINE_PATH',
  ],
  ...['TMUX', 'TMUX_PANE', 'STY', 'WINDOWID', 'npm_*', 'INIT_CWD', 'NODE_CHANNEL_FD', 'NODE_UNIQUE_ID', 'INVOCATION_ID'],
  ...['JOURNAL_STREAM', 'NOTIFY_SOCKET', 'LISTEN_FDS', 'LISTEN_PID', 'LISTEN_FDNAMES', 'MANAGERPID', 'WATCHDOG_*'],
];
