// A server of two tools by the Model Context Protocol, one message a line. What it says shows which variables it sees.
import { createInterface } from "node:readline";

const tools = ["query-docs", "other"].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object", properties: { q: { type: "string" } } },
}));

const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "for tests", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": (params) => ({
    content: [{ type: "text", text: `${params.name} says pelican, given ${process.env.DOCS_NAME}` }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\n");
}
