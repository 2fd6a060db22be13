package classify

import (
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
)

// answer is an error answer and what it means. The sentences are those that
// documentation, public reports and other projects' tables quote; recorded were
// only OpenRouter's and Perplexity's (TestCorpus). A row that names no server is
// made up.
type answer struct {
	who    string
	status int
	body   string
	class  providers.Class
	tokens Numbers
}

const (
	overflow  = providers.Overflow
	maxTokens = providers.MaxTokens
	tooLarge  = providers.TooLarge
	badImage  = providers.BadImage
	limited   = providers.RateLimited
	invalid   = providers.Invalid
)

func messages(message string) string {
	return `{"type":"error","error":{"type":"invalid_request_error","message":"` + message + `"},"request_id":"req_011CXwuBMc8o3a6ZHrZ2ytkW"}`
}

func chat(message, code string) string {
	return `{"error":{"message":"` + message + `","type":"invalid_request_error","param":"messages","code":` + code + `}}`
}

// D3: whatever server says that the prompt is too long, it is one class.
var overflows = []answer{
	{"Messages API", 400, messages("prompt is too long: 209231 tokens > 200000 maximum"), overflow, Numbers{209231, 0, 200000}},
	{"Messages API, short", 400, messages("Prompt is too long"), overflow, Numbers{}},
	{"Messages API, 413", 413, messages("prompt is too long: 1,209,231 tokens > 1,000,000 maximum"), overflow, Numbers{1209231, 0, 1000000}},
	{"Messages API, input above the window", 400, messages("input length and `max_tokens` exceed context limit: 201000 + 8192 > 200000, decrease input length or `max_tokens` and try again"), overflow, Numbers{201000, 8192, 200000}},
	{"Vertex", 400, `[{"error":{"code":400,"message":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 207944 tokens > 200000 maximum\"}}","status":"INVALID_ARGUMENT"}}]`, overflow, Numbers{207944, 0, 200000}},
	{"Bedrock", 400, `{"message":"Input is too long for requested model."}`, overflow, Numbers{}},
	{"Bedrock, Messages API", 400, `{"message":"The model returned the following errors: prompt is too long: 213462 tokens > 200000 maximum"}`, overflow, Numbers{213462, 0, 200000}},
	{"Bedrock, Llama", 400, `{"message":"This model's maximum context length is 8192 tokens. Please reduce the length of the prompt"}`, overflow, Numbers{0, 0, 8192}},
	{"Bedrock, Mistral", 400, `{"__type":"com.amazon.coral.validate#ValidationException","message":"Too many input tokens. Max input tokens: 128000, request input token count: 130244 "}`, overflow, Numbers{130244, 0, 128000}},
	{"Bedrock, Nova", 400, `{"message":"The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."}`, overflow, Numbers{}},
	{"Chat", 400, chat("This model's maximum context length is 128000 tokens. However, your messages resulted in 174643 tokens. Please reduce the length of the messages.", `"context_length_exceeded"`), overflow, Numbers{174643, 0, 128000}},
	{"Chat, newer", 400, chat("Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290412 tokens. Please reduce the length of the messages.", `"context_length_exceeded"`), overflow, Numbers{290412, 0, 272000}},
	{"Completions", 400, chat("This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10346 in your prompt; 5 for the completion). Please reduce your prompt; or completion length.", "null"), overflow, Numbers{10346, 5, 8191}},
	{"Responses", 400, chat("Your input exceeds the context window of this model. Please adjust your input and try again.", `"context_length_exceeded"`), overflow, Numbers{}},
	{"code alone", 400, chat("Bad request", `"context_length_exceeded"`), overflow, Numbers{}},
	{"bare code", 400, `{"error":"context_length_exceeded"}`, overflow, Numbers{}},
	{"Azure", 400, `{"error":{"message":"This model's maximum context length is 16385 tokens. However, you requested 18003 tokens (17003 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, overflow, Numbers{17003, 1000, 16385}},
	{"GitHub Models", 413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens.","details":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`, overflow, Numbers{0, 0, 8000}},
	{"Copilot", 400, `{"error":{"message":"prompt token count of 140011 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, overflow, Numbers{140011, 0, 128000}},
	{"Gemini", 400, `{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}`, overflow, Numbers{1196265, 0, 1048575}},
	{"Gemini, newer", 400, `{"error":{"code":400,"message":"The input token count exceeds the maximum number of tokens allowed 1048576.","status":"INVALID_ARGUMENT"}}`, overflow, Numbers{0, 0, 1048576}},
	{"Vertex, Gemini", 400, `{"error":{"code":400,"message":"Unable to submit request because the input token count is 40128 but model only supports up to 32768. Reduce the input token count and try again.","status":"INVALID_ARGUMENT"}}`, overflow, Numbers{40128, 0, 32768}},
	{"Mistral", 400, `{"object":"error","message":"Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","param":null,"code":"3051"}`, overflow, Numbers{65673, 0, 32768}},
	{"Groq", 400, chat("Please reduce the length of the messages or completion.", `"context_length_exceeded"`), overflow, Numbers{}},
	{"Groq, above the limit of a minute", 413, `{"error":{"message":"Request too large for model \"llama-3.3-70b-versatile\" in organization \"org_x\" service tier \"on_demand\" on tokens per minute (TPM): Limit 6000, Requested 7300, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, overflow, Numbers{0, 0, 6000}},
	{"Chat, above the limit of a minute", 429, `{"error":{"message":"Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 200000, Requested 695212. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, overflow, Numbers{0, 0, 200000}},
	{"OpenRouter", 400, `{"error":{"message":"This endpoint's maximum context length is 200000 tokens. However, you requested about 2500021 tokens (2500021 of text input). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.","code":400,"metadata":{"provider_name":null}}}`, overflow, Numbers{2500021, 0, 200000}},
	{"OpenRouter, from a provider", 400, `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 209231 tokens > 200000 maximum\"}}","provider_name":"Anthropic"}},"user_id":"u"}`, overflow, Numbers{209231, 0, 200000}},
	{"vLLM", 400, `{"object":"error","message":"This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}`, overflow, Numbers{112946, 10000, 16384}},
	{"vLLM, no max_tokens", 400, `{"error":{"message":"This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens. Please reduce the length of the input messages.","type":"BadRequestError","param":null,"code":400}}`, overflow, Numbers{40000, 0, 32768}},
	{"vLLM, length of the prompt", 400, `{"error":{"message":"The decoder prompt (length 41322) is longer than the maximum model length of 32768. Make sure that max_model_len is no smaller than the number of text tokens.","type":"BadRequestError","code":400}}`, overflow, Numbers{41322, 0, 32768}},
	{"vLLM, characters", 400, `{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 1000 output tokens and your prompt contains 500000 characters (more than 254144 characters, which is the upper bound for 31768 input tokens). Please reduce the length of the input prompt or the number of requested output tokens.","type":"BadRequestError","param":"input_text","code":400}}`, overflow, Numbers{0, 0, 32768}},
	{"SGLang", 400, `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens: 135904 tokens from the input messages and 4096 tokens for the completion.","type":"BadRequestError","code":400}`, overflow, Numbers{135904, 4096, 131072}},
	{"SGLang, length", 400, `{"object":"error","message":"Input length (265330) exceeds model's maximum context length (262144).","type":"BadRequestError","code":400}`, overflow, Numbers{265330, 0, 262144}},
	{"SGLang, length in tokens", 400, `{"object":"error","message":"Input length (5012 tokens) exceeds the maximum allowed length (4096 tokens). Use a shorter input or enable --allow-auto-truncate.","type":"BadRequestError","code":400}`, overflow, Numbers{5012, 0, 4096}},
	{"SGLang, no parts", 400, `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 131072 tokens.","code":400}`, overflow, Numbers{0, 0, 131072}},
	{"Together, input", 400, `{"error":{"message":"Input length 131393 exceeds the maximum allowed input length of 131040 tokens."}}`, overflow, Numbers{131393, 0, 131040}},
	{"a local server", 400, `{"error":{"message":"Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens"}}`, overflow, Numbers{5958968, 0, 256000}},
	{"a gateway", 400, `{"error":{"message":"The request exceeds the maximum number of tokens"}}`, overflow, Numbers{}},
	{"another gateway", 400, `{"error":{"message":"The prompt exceeds the model's context window."}}`, overflow, Numbers{}},
	{"Together", 422, `{"error":{"message":"The input (516368 tokens) is longer than the model's context length (262144 tokens).","type":"invalid_request_error","param":null,"code":null}}`, overflow, Numbers{516368, 0, 262144}},
	{"TGI", 422, "{\"error\":\"Input validation error: `inputs` must have less than 4095 tokens. Given: 5012\",\"error_type\":\"validation\"}", overflow, Numbers{5012, 0, 4095}},
	{"TGI, input above the window", 422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4100 `inputs` tokens and 200 `max_new_tokens`\",\"error_type\":\"validation\"}", overflow, Numbers{4100, 200, 4096}},
	{"llama.cpp", 400, `{"error":{"code":400,"message":"request (9310 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9310,"n_ctx":8192}}`, overflow, Numbers{9310, 0, 8192}},
	{"llama.cpp, older", 400, `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"invalid_request_error"}}`, overflow, Numbers{}},
	{"llama.cpp, its type with 500", 500, `{"error":{"code":500,"message":"failed","type":"exceed_context_size_error"}}`, overflow, Numbers{}},
	{"Ollama", 400, `{"error":"prompt too long; exceeded max context length by 412 tokens"}`, overflow, Numbers{}},
	{"Ollama, embeddings", 400, `{"error":"the input length exceeds the context length"}`, overflow, Numbers{}},
	{"LM Studio", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}`, overflow, Numbers{}},
	{"LM Studio, older", 400, `{"error":"Trying to keep the first 5012 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough."}`, overflow, Numbers{5012, 0, 4096}},
	{"DeepSeek", 400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 74000 tokens (66000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, overflow, Numbers{66000, 8000, 65536}},
	{"xAI", 400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`, overflow, Numbers{537812, 0, 131072}},
	{"Cerebras", 400, `{"message":"Please reduce the length of the messages or completion. Current length is 8713 while limit is 8192","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}`, overflow, Numbers{8713, 0, 8192}},
	{"Fireworks", 400, `{"error":{"object":"error","type":"invalid_request_error","message":"The prompt is too long: 140000, model maximum context length: 131071"}}`, overflow, Numbers{140000, 0, 131071}},
	{"Moonshot", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)","type":"invalid_request_error"}}`, overflow, Numbers{291351, 0, 262144}},
	{"Moonshot, older", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}`, overflow, Numbers{}},
	{"MiniMax", 400, `{"type":"error","error":{"type":"bad_request_error","message":"invalid params, context window exceeds limit (2013)"}}`, overflow, Numbers{}},
	{"MiniMax, its own envelope", 400, `{"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit"}}`, overflow, Numbers{}},
	{"z.ai", 400, `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, overflow, Numbers{}},
	{"z.ai, tokens", 400, `{"error":{"code":"1210","message":"tokens in request more than max tokens allowed"}}`, overflow, Numbers{}},
	{"Perplexity", 400, `{"error":{"message":"The total length of all messages is too long.","type":"too_many_prompt_tokens","code":400}}`, overflow, Numbers{}},
	{"Cohere", 400, `{"message":"too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 130211. Try using a shorter prompt."}`, overflow, Numbers{130211, 0, 128000}},
	{"Cohere, older", 400, `{"message":"too many tokens: size limit exceeded by 8466 tokens. Try using shorter or fewer inputs, or setting prompt_truncation='AUTO'."}`, overflow, Numbers{}},
	{"DashScope", 400, `{"code":"InvalidParameter","message":"Range of input length should be [1, 129024]","request_id":"x"}`, overflow, Numbers{0, 0, 129024}},
	{"LiteLLM", 400, `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.\nmodel=gpt-4. context_window_fallbacks=None. Received Model Group=gpt-4\nAvailable Model Group Fallbacks=None","type":null,"param":null,"code":"400"}}`, overflow, Numbers{9001, 0, 8192}},
	{"LiteLLM, JSON inside", 400, `{"error":{"message":"litellm.BadRequestError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 209231 tokens > 200000 maximum\"}}. Received Model Group=claude","type":"invalid_request_error","param":null,"code":"400"}}`, overflow, Numbers{209231, 0, 200000}},
	{"LiteLLM, Python inside", 400, `{"error":{"message":"litellm.BadRequestError: AzureException - Error code: 400 - {'error': {'message': \"This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.\", 'type': 'invalid_request_error', 'code': 'context_length_exceeded'}}","code":"400"}}`, overflow, Numbers{130001, 0, 128000}},
	{"LiteLLM, its judgement alone", 400, `{"error":{"message":"litellm.ContextWindowExceededError: AnthropicException - {\"error\":{\"message\":\"no\"}}","code":"400"}}`, overflow, Numbers{}},
	{"LiteLLM around OpenRouter", 400, `{"error": {"message": "litellm.BadRequestError: OpenrouterException - {\"error\": {\"message\": \"Provider returned error\", \"code\": 400, \"metadata\": {\"raw\": \"{\\\"type\\\": \\\"error\\\", \\\"error\\\": {\\\"type\\\": \\\"invalid_request_error\\\", \\\"message\\\": \\\"prompt is too long: 209231 tokens > 200000 maximum\\\"}}\"}}}", "code": "400"}}`, overflow, Numbers{209231, 0, 200000}},
	{"apostrophes quote nothing", 400, `{"error":"This request's prompt is too long for any of the models' windows"}`, overflow, Numbers{}},
	{"FastAPI", 422, `{"detail":[{"loc":["body","messages"],"msg":"prompt is too long: 12 tokens > 10 maximum","type":"value_error"}]}`, overflow, Numbers{12, 0, 10}},
	{"an SDK's text", 400, `400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209231 tokens > 200000 maximum"}}`, overflow, Numbers{209231, 0, 200000}},
	{"plain text in two lines", 400, "Input is too\n long for requested model.", overflow, Numbers{}},
}

// The limit asked for is the problem, not the prompt (3.23, 3.24 of the field
// reports: continuedev/continue#6080, NousResearch/hermes-agent#63161).
var limits = []answer{
	{"Messages API", 400, messages("input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again"), maxTokens, Numbers{188240, 21333, 200000}},
	{"Messages API, nearly full", 400, messages("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again"), maxTokens, Numbers{199759, 8192, 200000}},
	{"a proxy of it", 400, `{"error":{"message":"input length and max_tokens exceed context limit: 90402 + 116650 > 204648, decrease input length or max_tokens and try again"}}`, maxTokens, Numbers{90402, 116650, 204648}},
	{"no numbers", 400, messages("input length and `max_tokens` exceed context limit"), maxTokens, Numbers{}},
	{"Chat", 400, chat("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 500 in the functions, and 7500 in the completion). Please reduce the length of the messages, functions, or completion.", `"context_length_exceeded"`), maxTokens, Numbers{1500, 7500, 8192}},
	{"vLLM", 400, `{"message":"'max_tokens' or 'max_completion_tokens' is too large: 40000. This model's maximum context length is 32768 tokens and your request has 8000 input tokens (40000 > 32768 - 8000).","type":"BadRequestError","code":400}`, maxTokens, Numbers{8000, 40000, 32768}},
	{"vLLM, newer", 400, `{"error":{"message":"This model's maximum context length is 32768 tokens. However, you requested 1000 output tokens and your prompt contains at least 31769 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens.","type":"BadRequestError","param":"input_tokens","code":400}}`, maxTokens, Numbers{31769, 1000, 32768}},
	{"SGLang", 400, `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 132000 tokens: 100000 tokens from the input messages and 32000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit."}`, maxTokens, Numbers{100000, 32000, 131072}},
	{"TGI", 422, "{\"error\":\"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`\",\"error_type\":\"validation\"}", maxTokens, Numbers{4000, 200, 4096}},
	{"OpenRouter", 400, `{"error":{"message":"This endpoint's maximum context length is 65536 tokens. However, you requested about 70242 tokens (17474 of text input, 20000 of tool input, 32768 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.","code":400}}`, maxTokens, Numbers{37474, 32768, 65536}},
	{"DeepSeek", 400, `{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 72000 tokens (64000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, maxTokens, Numbers{64000, 8000, 65536}},

	// Above what the model can answer at all: no input would make it fit.
	{"Messages API, answer", 400, messages("max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-20250514"), maxTokens, Numbers{0, 100000, 64000}},
	{"Chat, answer", 400, chat("max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.", `"invalid_value"`), maxTokens, Numbers{0, 100000, 16384}},
	{"Vertex, answer", 400, `{"error":{"code":400,"message":"Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.","status":"INVALID_ARGUMENT"}}`, maxTokens, Numbers{0, 100000, 65536}},
	{"Groq, answer", 400, chat("`max_tokens` must be less than or equal to `32768`, the maximum value for `max_tokens` is less than the `context_window` for this model", "null"), maxTokens, Numbers{0, 0, 32768}},
	{"DeepSeek, answer", 400, `{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, maxTokens, Numbers{0, 0, 8192}},
	{"DashScope, answer", 400, `{"error":{"code":"invalid_parameter_error","message":"Range of max_tokens should be [1, 8192]","type":"invalid_request_error"}}`, maxTokens, Numbers{0, 0, 8192}},
	{"Bedrock, answer", 400, `{"message":"The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192."}`, maxTokens, Numbers{0, 0, 8192}},
}

var bytesNotTokens = []answer{
	{"Messages API", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, tooLarge, Numbers{}},
	{"Messages API, 400", 400, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum allowed number of bytes. The maximum request size is 32 MB."}}`, tooLarge, Numbers{}},
	{"nginx", 413, "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n", tooLarge, Numbers{}},
	{"Cloudflare", 413, "<html>\n<head><title>413 Payload Too Large</title></head>\n<body>\n<center>cloudflare</center></body></html>", tooLarge, Numbers{}},
	{"Cerebras, no body", 413, "", tooLarge, Numbers{}},
	{"express", 413, "PayloadTooLargeError: request entity too large\n    at readStream (/app/node_modules/raw-body/index.js:163:17)", tooLarge, Numbers{}},
	{"Groq", 413, `{"error":{"message":"Request Entity Too Large","type":"invalid_request_error","code":"request_too_large"}}`, tooLarge, Numbers{}},
	{"a gateway", 400, `{"statusCode":400,"errorCode":"inference_failed","message":"Payload too large"}`, tooLarge, Numbers{}},
	{"another gateway", 400, `{"message":"Request body too large"}`, tooLarge, Numbers{}},
	{"Gemini", 400, `{"error":{"code":400,"message":"Request payload size exceeds the limit: 20971520 bytes.","status":"INVALID_ARGUMENT"}}`, tooLarge, Numbers{}},
	{"DashScope", 400, `{"error":{"message":"Exceeded limit on max bytes to request body : 6291456","type":"invalid_request_error"}}`, tooLarge, Numbers{}},
	{"Responses", 400, `{"error":{"message":"Invalid 'input[3].output': string too long. Expected a string with maximum length 10485760, but got a string with length 12345678 instead.","type":"invalid_request_error","param":"input[3].output","code":"string_above_max_length"}}`, tooLarge, Numbers{}},
	{"unknown sentence", 413, `{"message":"No."}`, tooLarge, Numbers{}},
}

var images = []answer{
	{"size", 400, messages("messages.46.content.9.image.source.base64: image exceeds 5 MB maximum: 6096280 bytes > 5242880 bytes"), badImage, Numbers{}},
	{"size in a result", 400, messages("messages.30.content.0.tool_result.content.0.image.source.base64: image exceeds 5 MB maximum: 5577016 bytes > 5242880 bytes"), badImage, Numbers{}},
	{"Bedrock", 400, `{"message":"The model returned the following errors: messages.2.content.1.image.source.base64: image exceeds 5 MB maximum: 12725568 bytes > 5242880 bytes"}`, badImage, Numbers{}},
	{"edge", 400, messages("messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels"), badImage, Numbers{}},
	{"edge of many", 400, messages("messages.84.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"), badImage, Numbers{}},
	{"not an image", 400, messages("Could not process image"), badImage, Numbers{}},
	{"kind", 400, messages("messages.0.content.1.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"), badImage, Numbers{}},
	{"another kind", 400, messages("messages.9.content.5.image.source.base64.data: Image does not match the provided media type image/jpeg"), badImage, Numbers{}},
	{"another kind, older", 400, messages("messages.0.content.0.image.source.base64.data: The image was specified using the image/jpeg media type, but the image appears to be a image/png image"), badImage, Numbers{}},
	{"not base64", 400, messages("messages.1.content.1.image.source.base64: invalid base64 data"), badImage, Numbers{}},
	{"no source", 400, messages("messages.22.content.0.tool_result.content.0.image.source: Field required"), badImage, Numbers{}},
	{"empty", 400, messages("messages.0.content.0.image.source.base64: image cannot be empty"), badImage, Numbers{}},
	{"too many", 400, messages("messages: too much media: 0 document pages + 103 images > 100"), badImage, Numbers{}},
	{"413", 413, messages("messages.1.content.1.image.source.base64: image exceeds 5 MB maximum: 6096280 bytes > 5242880 bytes"), badImage, Numbers{}},
	{"Chat", 400, `{"error":{"message":"You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].","type":"invalid_request_error","param":null,"code":"invalid_image_format"}}`, badImage, Numbers{}},
	{"Responses", 400, `{"error":{"message":"The image data you provided does not represent a valid image. Please check your input and try again.","type":"invalid_request_error","param":"input","code":"invalid_value"}}`, badImage, Numbers{}},
	{"Responses, code alone", 400, `{"error":{"message":"no","code":"image_parse_error"}}`, badImage, Numbers{}},
	{"a model without eyes", 400, `{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error","param":"messages.[0].content.[1].type","code":null}}`, badImage, Numbers{}},
	{"DeepSeek", 422, "{\"error\":{\"message\":\"Failed to deserialize the JSON body into the target type: messages[3]: unknown variant `image_url`, expected `text` at line 1 column 9911\",\"type\":\"invalid_request_error\"}}", badImage, Numbers{}},
	{"Gemini", 400, `{"error":{"code":400,"message":"Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting","status":"INVALID_ARGUMENT"}}`, badImage, Numbers{}},
	{"Gemini before 3", 400, `[{"error":{"code":400,"message":"Unable to submit request because ` + "`function_response.parts`" + ` is not supported for this model. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling","status":"INVALID_ARGUMENT"}}]`, badImage, Numbers{}},
	{"Gemini, kind", 400, `{"error":{"code":400,"message":"Unsupported MIME type: image/svg+xml","status":"INVALID_ARGUMENT"}}`, badImage, Numbers{}},
	{"OpenRouter", 404, `{"error":{"message":"No endpoints found that support image input","code":404}}`, badImage, Numbers{}},
	{"vLLM", 400, `{"error":{"message":"At most 1 image(s) may be provided in one prompt.","type":"BadRequestError","code":400}}`, badImage, Numbers{}},
	{"Gemini, data", 400, `{"error":{"code":400,"message":"Provided image is not valid.","status":"INVALID_ARGUMENT"}}`, badImage, Numbers{}},
	{"Bedrock, a model without eyes", 400, `{"message":"This model doesn't support the image content block that you provided. Update the content block and try again."}`, badImage, Numbers{}},
	{"Mistral", 400, `{"object":"error","message":"Image input is not enabled for this model","type":"invalid_request_error","code":"3051"}`, badImage, Numbers{}},
	{"llama.cpp", 400, `{"error":{"code":400,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"invalid_request_error"}}`, badImage, Numbers{}},
	{"415", 415, `{"error":{"message":"Unsupported image format"}}`, badImage, Numbers{}},
}

// What looks like it and is not.
var others = []answer{
	{"Messages API, tokens of a minute", 429, `{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 30,000 input tokens per minute."}}`, limited, Numbers{}},
	{"Bedrock, too many tokens", 429, `{"message":"Too many tokens, please wait before trying again."}`, limited, Numbers{}},
	{"Bedrock, with 400", 400, `{"__type":"ThrottlingException","message":"Too many tokens, please wait before trying again."}`, limited, Numbers{}},
	{"Bedrock, a sentence with 400", 400, `{"message":"Too many tokens, please wait before trying again."}`, limited, Numbers{}},
	{"a proxy's 400 for a rate limit", 400, `{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000."}}`, limited, Numbers{}},
	{"a proxy, other words", 400, `{"error":"Rate limit exceeded. Too many tokens, retry in 5 s."}`, limited, Numbers{}},
	{"a proxy, yet others", 400, `{"error":"Too many requests: slow down"}`, limited, Numbers{}},
	{"Chat, below the limit", 429, `{"error":{"message":"Rate limit reached: Limit 200000, Used 199000, Requested 5000.","code":"rate_limit_exceeded"}}`, limited, Numbers{}},
	{"a limit that says too long", 429, messages("prompt is too long: 209231 tokens > 200000 maximum"), limited, Numbers{}},
	{"no money", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, providers.Auth, Numbers{}},
	{"Gemini, quota", 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan.","status":"RESOURCE_EXHAUSTED"}}`, limited, Numbers{}},
	{"auth", 401, messages("prompt is too long"), providers.Auth, Numbers{}},
	{"server", 500, `{"error":{"type":"api_error","message":"prompt is too long"}}`, providers.Server, Numbers{}},
	{"timeout", 504, `{"error":{"message":"prompt is too long"}}`, providers.Timeout, Numbers{}},
	{"overloaded", 503, `{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`, providers.Overloaded, Numbers{}},

	{"LiteLLM around an overload", 500, `{"error":{"message":"litellm.APIError: AnthropicException - {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}","type":null,"code":"500"}}`, providers.Overloaded, Numbers{}},

	{"quoted", 400, messages(`messages.1.content.0: unexpected text \"prompt is too long: 5 tokens > 4 maximum\"`), invalid, Numbers{}},
	{"quoted once", 400, chat("Invalid value: 'prompt is too long'. Supported values are: 'text', 'image_url'.", "null"), invalid, Numbers{}},
	{"quoted twice", 400, chat("The model's name 'the user's prompt is too long' is not known", "null"), invalid, Numbers{}},
	{"quoted in curls", 400, chat("Unknown field “input is too long”.", "null"), invalid, Numbers{}},
	{"quoted in backticks", 400, chat("unknown variant `prompt is too long`, expected `text`", "null"), invalid, Numbers{}},
	{"quoted code", 400, chat("Unknown parameter: 'context_length_exceeded'.", `"unknown_parameter"`), invalid, Numbers{}},
	{"the request sent back", 400, `{"oops":1,"request":{"messages":[{"role":"user","content":"prompt is too long: 5 tokens > 4 maximum"}]}}`, invalid, Numbers{}},
	{"FastAPI, the input sent back", 422, `{"detail":[{"loc":["body","messages",0],"msg":"Input should be a valid string","input":"prompt is too long","type":"string_type"}]}`, invalid, Numbers{}},
	{"Python, the input sent back", 400, `1 validation error for ChatCompletionRequest\nmessages.0 [type=string_type, input_value='prompt is too long', input_type=str]`, invalid, Numbers{}},
	{"bare words", 400, messages("messages.1: unexpected context in tool_result: too large, too many tokens"), invalid, Numbers{}},
	{"another string", 400, `{"error":{"message":"Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.","type":"invalid_request_error","param":"prompt_cache_key","code":"string_above_max_length"}}`, invalid, Numbers{}},
	{"header, not body", 400, "<html><head><title>400 Request Header Or Cookie Too Large</title></head></html>", invalid, Numbers{}},
	{"max_tokens too small", 400, messages("max_tokens: Input should be greater than or equal to 1"), invalid, Numbers{}},
	{"an answer that was cut", 400, chat("Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.", "null"), invalid, Numbers{}},
	{"a number that counts nothing", 400, messages("prompt is too short: 99999999999999999999 tokens"), invalid, Numbers{}},
	{"nothing", 400, "", invalid, Numbers{}},
}

func TestText(t *testing.T) {
	for _, group := range [][]answer{overflows, limits, bytesNotTokens, images, others} {
		for _, a := range group {
			typ, code, message := Read([]byte(a.body))
			if class, n := Text(a.status, typ, code, message); class != a.class || n != a.tokens {
				t.Errorf("%s %d:\n got %s %+v\nwant %s %+v\nread %q %q %q", a.who, a.status, class, n, a.class, a.tokens, typ, code, message)
			}
		}
	}
}

// Inside a stream there is no status: the words say the same. What only the
// status told (413 without a known sentence, 401, 429) cannot be told.
func TestTextInStream(t *testing.T) {
	for _, group := range [][]answer{overflows, limits, bytesNotTokens, images} {
		for _, a := range group {
			typ, code, message := Read([]byte(a.body))
			if a.who == "unknown sentence" || a.who == "Cerebras, no body" {
				continue
			}
			for _, status := range []int{0, 200} {
				if class, n := Text(status, typ, code, message); class != a.class || n != a.tokens {
					t.Errorf("%s:\n got %s %+v\nwant %s %+v", a.who, class, n, a.class, a.tokens)
				}
			}
		}
	}
}

// The status of a size is not agreed on: 400, 413 and 422 with one sentence are
// one failure.
func TestTextStatuses(t *testing.T) {
	for _, group := range [][]answer{overflows, limits, images} {
		for _, a := range group {
			typ, code, message := Read([]byte(a.body))
			for _, status := range []int{400, 413, 422} {
				if class, n := Text(status, typ, code, message); class != a.class || n != a.tokens {
					t.Errorf("%s with %d:\n got %s %+v\nwant %s %+v", a.who, status, class, n, a.class, a.tokens)
				}
			}
		}
	}
}

// Every wording is there because some server sends it: a table row needs it.
func TestEveryWordingIsNeeded(t *testing.T) {
	used := map[int]bool{}
	for _, group := range [][]answer{overflows, limits, bytesNotTokens, images, others} {
		for _, a := range group {
			typ, code, message := Read([]byte(a.body))
			_, _, message = unwrap(typ, code, message)
			for i, w := range wordings {
				if _, ok := match(w.text, plain(message)); ok {
					used[i] = true
					break
				}
			}
		}
	}
	for i, w := range wordings {
		if !used[i] {
			t.Errorf("no row of the tables is recognised by %q", w.text)
		}
		if w.text != strings.ToLower(w.text) {
			t.Errorf("%q is not in lower case: texts are", w.text)
		}
	}
	for name := range names {
		if name != strings.ToLower(name) {
			t.Errorf("%q is not in lower case: names are compared so", name)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ body, typ, code, message string }{
		{messages("no"), "invalid_request_error", "", "no"},
		{chat("no", `"c"`), "invalid_request_error", "c", "no"},
		{`{"error":{"code":"401","message":"no"}}`, "", "401", "no"},
		{`{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT","details":[]}}`, "INVALID_ARGUMENT", "", "no"},
		{`[{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}},` + "\r\n" + `]`, "", "", `[{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}, ]`},
		{`[{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}]`, "INVALID_ARGUMENT", "", "no"},
		{`[]`, "", "", "[]"},
		{`{"__type":"com.amazon.coral.service#ThrottlingException","Message":"no"}`, "ThrottlingException", "", "no"},
		{`{"error":"no"}`, "", "", "no"},
		{`{"code":"c","error":"no"}`, "", "c", "no"},
		{`{"detail":"no"}`, "", "", "no"},
		{`{"detail":[{"msg":"no"},{"msg":"never"}]}`, "", "", "no"},
		{`{"detail":[]}`, "", "", `{"detail":[]}`},
		{`{"status":"error","message":"no"}`, "", "", "no"},
		{`{"type":"error","message":"no"}`, "", "", "no"},
		{`{"error":{"message":"Provider returned error","metadata":{"raw":"no"}}}`, "", "", "Provider returned error: no"},
		{`{"error":{"message":"a","message":"no"}}`, "", "", "no"},
		{`{"error":{"type":7,"message":["no"]}}`, "", "", `{"error":{"type":7,"message":["no"]}}`},
		{`{"oops":1}`, "", "", `{"oops":1}`},
		{`{"error":{"mess`, "", "", `{"error":{"mess`},
		{"<html><head><title>\nno </title></head>", "", "", "no"},
		{"<html>\nno", "", "", "<html> no"},
		{"<title>\u0130</title>", "", "", "<title>\u0130</title>"},
		{" no\n\xff", "", "", "no \ufffd"},
		{"", "", "", ""},
	} {
		if typ, code, message := Read([]byte(c.body)); typ != c.typ || code != c.code || message != c.message {
			t.Errorf("%s:\n got %q %q %q\nwant %q %q %q", c.body, typ, code, message, c.typ, c.code, c.message)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		wording, text string
		want          found
		ok            bool
	}{
		{"a {input} b", "x a 12 b", found{Numbers: Numbers{Input: 12}}, true},
		{"a {input} b", "a x b a 1,234,567 b", found{Numbers: Numbers{Input: 1234567}}, true},
		{"a {input}", "a 12, b", found{Numbers: Numbers{Input: 12}}, true},
		{"a {input}", "a ,12", found{}, false},
		{"a {input}", "a 99999999999999999", found{}, false},
		{"a ... {asked} b", "a 100, 32000 b", found{Numbers: Numbers{Asked: 32000}}, true},
		{"a ... {asked} b", "a 32000 c", found{}, false},
		{"a ... {asked} b", "a 99999999999999999 b", found{}, false},
		{"a ... b", "a b", found{}, true},
		{"a ... b", "a" + strings.Repeat(" ", 199) + "b", found{}, true},
		{"a ... b", "a" + strings.Repeat(" ", 201) + "b", found{}, false},
		{"to {above} x", "to 65537 x", found{Numbers: Numbers{Window: 65536}}, true},
		{"{n} {total} {size}", "1 2 3", found{total: 2, size: 3}, true},
		{"a", "", found{}, false},
	} {
		if got, ok := match(c.wording, c.text); ok != c.ok || ok && got != c.want {
			t.Errorf("%q in %q: %+v %v; want %+v %v", c.wording, c.text, got, ok, c.want, c.ok)
		}
	}
}

// Whatever stands in a body, it is read in time that grows with its length.
func FuzzText(f *testing.F) {
	for _, group := range [][]answer{overflows, limits, bytesNotTokens, images, others} {
		for _, a := range group {
			f.Add(a.status, []byte(a.body))
		}
	}
	f.Add(400, []byte(strings.Repeat("maximum context length is 1 tokens (", 300)))
	f.Add(400, []byte(strings.Repeat("'", 9000)))
	f.Add(400, []byte(strings.Repeat(`{"error":`, 1000)))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		typ, code, message := Read(body)
		class, n := Text(status, typ, code, message)
		if class == "" || class == fits || n != (Numbers{}) && class != overflow && class != maxTokens {
			t.Errorf("%s %+v", class, n)
		}
	})
}

// Google says INVALID_ARGUMENT of a key that is not valid; only the reason in its
// details, which its codec passes on as the code, says more.
func TestReasonAsCode(t *testing.T) {
	if class, _ := Text(400, "INVALID_ARGUMENT", "API_KEY_INVALID", "API key not valid. Please pass a valid API key."); class != providers.Auth {
		t.Error(class)
	}
	if class, _ := Text(400, "INVALID_ARGUMENT", "SOMETHING_ELSE", "no"); class != invalid {
		t.Error(class)
	}
}
