// The official TypeScript clients against an MCP server: list, call, read, get; prints what they saw as JSON.
// node client.mjs <folder with node_modules> <sdk|client> <legacy|auto> <url, or a command and its arguments>
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, flavour, mode, ...target] = process.argv.slice(2);
const load = path => import(pathToFileURL(join(folder, 'node_modules/@modelcontextprotocol', path)).href);

const modules = {
  sdk: ['sdk/dist/esm/client/index.js', 'sdk/dist/esm/client/stdio.js', 'sdk/dist/esm/client/streamableHttp.js'],
  client: ['client/dist/index.mjs', 'client/dist/stdio.mjs', 'client/dist/index.mjs'],
}[flavour];
const [{ Client }, { StdioClientTransport }, { StreamableHTTPClientTransport }] = await Promise.all(modules.map(load));

const options = flavour === 'client' ? { versionNegotiation: { mode } } : {};
const client = new Client({ name: 'everlore-tests', version: '1.0.0' }, options);
const transport = target[0].startsWith('http')
  ? new StreamableHTTPClientTransport(new URL(target[0]))
  : new StdioClientTransport({ command: target[0], args: target.slice(1), env: process.env });
await client.connect(transport);

const { tools } = await client.listTools();
const seen = {
  server: client.getServerVersion().name,
  version: client.getNegotiatedProtocolVersion?.() ?? '',
  tools: tools.map(tool => tool.name),
};
// CALLS: a list of [tool, arguments] to call instead of what the tiny toolset has
const calls = JSON.parse(process.env.CALLS ?? 'null');
const answers = calls ? { results: [] } : {
  echo: await client.callTool({ name: 'echo', arguments: { word: 'Grüße', limit: 5 } }),
  items: await client.callTool({ name: 'items', arguments: {} }),
  refused: await client.callTool({ name: 'refuse', arguments: {} }),
  resource: (await client.readResource({ uri: 'tiny://fixed' })).contents[0].text,
  prompt: (await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).messages[0].content.text,
};
for (const [name, args] of calls ?? []) answers.results.push(await client.callTool({ name, arguments: args }));
await client.close();
console.log(JSON.stringify({ ...seen, ...answers }));
