//! The protocol, in asynchronous code. One thread reads and writes messages; every call is answered by a thread of its
//! own, so that a long one does not hold up the others.

use super::bounded_reader::{BoundedReader, MESSAGE_BYTES_MAX, TOO_LARGE};
use super::reply::Reply;
use super::tools;
use redraft_facts::usage::grouped;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// What a server answers with.
pub(crate) trait Desk: Send + Sync + 'static {
    fn tools(&self) -> Vec<tools::Tool>;

    /// What a client is told when it connects.
    fn instructions(&self) -> &'static str;

    /// Answers one call.
    fn answer(self: Arc<Self>, tool: &str, arguments: &Map<String, Value>) -> Reply;

    /// A client says what it is.
    fn meet(&self, name: &str, version: &str);

    /// Whether a signal asks the server to end.
    fn stopped(&self) -> bool;
}

struct Server<D> {
    desk: Arc<D>,
}

/// How often the signal that ends the server is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Serves until standard input ends or a signal comes.
pub(crate) fn serve<D: Desk>(desk: &Arc<D>) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let served = runtime.block_on(async {
        let server = Server { desk: Arc::clone(desk) };
        let (input, output) = rmcp::transport::stdio();
        let running = server.serve((BoundedReader::new(input), output));
        let stopped = async {
            while !desk.stopped() {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        tokio::pin!(stopped);
        let running = tokio::select! {
            running = running => match running {
                Ok(running) => running,
                // The client left before it had begun.
                Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            },
            () = &mut stopped => return Ok(()),
        };
        tokio::select! {
            ended = running.waiting() => ended.map(drop).map_err(|error| error.to_string()),
            () = &mut stopped => Ok(()),
        }
    });
    // A pending read of standard input cannot be cancelled, and must not keep the program alive.
    runtime.shutdown_background();
    served
}

impl<D: Desk> ServerHandler for Server<D> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("redraft", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.desk.instructions())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |tool: tools::Tool| {
            let schema = tool.schema.as_object().cloned().unwrap_or_default();
            let annotations = ToolAnnotations::new().read_only(tool.reads);
            Tool::new(tool.name, tool.description, Arc::new(schema)).with_annotations(annotations)
        };
        Ok(ListToolsResult::with_all_items(self.desk.tools().into_iter().map(tool).collect()))
    }

    /// The only known request is the one that replaces a message that was too large.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = request;
        if method != TOO_LARGE {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None));
        }
        let bytes = params.as_ref().and_then(|params| params["bytes"].as_u64()).unwrap_or_default();
        let most = grouped(MESSAGE_BYTES_MAX as u64);
        let why = format!("the message has {} bytes, and at most {most} are read", grouped(bytes));
        Err(ErrorData::invalid_request(why, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let desk = Arc::clone(&self.desk);
        if let Some(host) = context.peer.peer_info() {
            let Implementation { name, version, .. } = &host.client_info;
            desk.meet(name, version);
        }
        let called = move || desk.answer(&request.name, &request.arguments.unwrap_or_default());
        let answered = tokio::task::spawn_blocking(called).await;
        let Reply { text, is_error, .. } = answered.map_err(|error| {
            ErrorData::internal_error(format!("a bug in redraft ended the call: {error}"), None)
        })?;
        let content = vec![ContentBlock::text(text)];
        // Once, and not also as structured content: a host may give both to its model.
        let result = if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) };
        Ok(result.into())
    }
}
