package classify

import "github.com/harnessbench/bench/providers"

// wording is a sentence, or the part of one that does not vary, that a server is
// known to send.
//
// In its text {input}, {asked}, {window} and {total} stand for numbers (total is
// input and asked together, {above} one more than window), {size} for one that counts something else, {n} for
// one that does not matter, and ... for anything. It may begin and end anywhere
// in a sentence. Bare words like "context" or "too large" prove nothing
// (OpenHands/OpenHands#10873), so none of them is here.
type wording struct {
	class providers.Class
	text  string
}

// fits is the class of wordings whose numbers decide: MaxTokens if the input
// alone would fit beside a smaller max_tokens, Overflow if not, or if no numbers
// are told.
const fits providers.Class = "fits"

// wordings, the first that matches counts. A sentence with numbers stands before
// the same sentence without.
var wordings = []wording{
	// Who waits may send it again. These also come with 400, or in a stream.
	{providers.RateLimited, "tokens per min"},
	{providers.RateLimited, "too many tokens, please wait"}, // Bedrock
	{providers.RateLimited, "rate limit reached"},
	{providers.RateLimited, "rate limit exceeded"},
	{providers.RateLimited, "too many requests"},

	// Images. Whatever else the Messages API says of one, it says where it is.
	{providers.BadImage, "image exceeds"},
	{providers.BadImage, "could not process image"},
	{providers.BadImage, "image dimensions exceed max allowed size"},
	{providers.BadImage, "image does not match the provided media type"},
	{providers.BadImage, "image was specified using the ... media type, but"},
	{providers.BadImage, "image cannot be empty"},
	{providers.BadImage, "too much media"},
	{providers.BadImage, ".image.source"},
	{providers.BadImage, "you uploaded an unsupported image"}, // Chat, Responses
	{providers.BadImage, "image data you provided does not represent a valid image"},
	{providers.BadImage, "image_url is only supported by certain models"},
	{providers.BadImage, "unknown variant `image_url`"},                 // DeepSeek
	{providers.BadImage, "unable to process input image"},               // Gemini
	{providers.BadImage, "provided image is not valid"},                 // Gemini
	{providers.BadImage, "unsupported mime type: image/"},               // Gemini, Bedrock
	{providers.BadImage, "`function_response.parts` is not supported"},  // Gemini before 3: images of a result
	{providers.BadImage, "unsupported image format"},                    //
	{providers.BadImage, "no endpoints found that support image input"}, // OpenRouter
	{providers.BadImage, "doesn't support the image content block"},     // Bedrock
	{providers.BadImage, "image input is not enabled for this model"},   // Mistral
	{providers.BadImage, "image input is not supported"},                // llama.cpp
	{providers.BadImage, "at most {n} image(s) may be provided"},        // vLLM

	// Input and answer together.
	{fits, "exceed context limit: {input} + {asked} > {window}"}, // Messages API
	{providers.MaxTokens, "exceed context limit"},
	{fits, "maximum context length is {window} tokens ... ({input} in the messages, {asked} in the completion"}, // Chat, DeepSeek, vLLM
	{fits, "maximum context length is {window} tokens ... ({input} in your prompt; {asked} for the completion"}, // Completions
	{fits, "maximum context length is {window} tokens ... requested {total} tokens (... {asked} in the completion"},
	{fits, "maximum context length is {window} tokens ... requested about {total} tokens (... {asked} in the output"},                              // OpenRouter
	{fits, "is too large: {asked}. this model's maximum context length is {window} tokens and your request has {input} input tokens"},              // vLLM
	{fits, "maximum context length is {window} tokens ... requested {asked} output tokens and your prompt contains at least {input} input tokens"}, // vLLM
	{fits, "maximum context length of {window} tokens ... {input} tokens from the input messages and {asked} tokens for the completion"},           // SGLang
	{fits, "must be <= {window}. given: {input} `inputs` tokens and {asked} `max_new_tokens`"},                                                     // TGI, Together

	// The answer alone.
	{providers.MaxTokens, "max_tokens: {asked} > {window}, which is the maximum allowed number of output tokens"},                    // Messages API
	{providers.MaxTokens, "is too large: {asked}. this model supports at most {window} completion tokens"},                           // Chat
	{providers.MaxTokens, "maxoutputtokens value of {asked} but the supported range is from {n} (inclusive) to {above} (exclusive)"}, // Gemini
	{providers.MaxTokens, "`max_tokens` must be less than or equal to `{window}`"},                                                   // Groq
	{providers.MaxTokens, "valid range of max_tokens is [{n}, {window}]"},                                                            // DeepSeek
	{providers.MaxTokens, "range of max_tokens should be [{n}, {window}]"},                                                           // DashScope
	{providers.MaxTokens, "maximum tokens you requested exceeds the model limit of {window}"},                                        // Bedrock

	// The input alone.
	{providers.Overflow, "prompt is too long: {input} tokens > {window} maximum"},               // Messages API
	{providers.Overflow, "prompt is too long: {input}, model maximum context length: {window}"}, // Fireworks
	{providers.Overflow, "prompt is too long"},
	{providers.Overflow, "maximum context length is {window} tokens ... resulted in {input} tokens"},            // Chat
	{providers.Overflow, "maximum context length is {window} tokens ... your request has {input} input tokens"}, // vLLM
	{providers.Overflow, "maximum context length is {window} tokens ... requested about {input} tokens"},        // OpenRouter
	{providers.Overflow, "maximum context length is {window}"},
	{providers.Overflow, "configured limit of {window} tokens ... resulted in {input} tokens"}, // Chat
	{providers.Overflow, "exceeds the context window"},                                         // Responses
	{providers.Overflow, "exceeds the model's context window"},
	{providers.Overflow, "input token count ({input}) exceeds the maximum number of tokens allowed ({window})"}, // Gemini
	{providers.Overflow, "input token count is {input} but model only supports up to {window}"},                 // Vertex
	{providers.Overflow, "input token count exceeds the maximum number of tokens allowed {window}"},             //
	{providers.Overflow, "exceeds the maximum number of tokens"},
	{providers.Overflow, "too many input tokens. max input tokens: {window}, request input token count: {input}"},       // Bedrock
	{providers.Overflow, "input is too long"},                                                                           // Bedrock
	{providers.Overflow, "number of input tokens exceeds maximum length"},                                               // Bedrock
	{providers.Overflow, "prompt contains {input} tokens ... too large for model with {window} maximum context length"}, // Mistral
	{providers.Overflow, "current length is {input} while limit is {window}"},                                           // Cerebras
	{providers.Overflow, "maximum prompt length is {window} but the request contains {input} tokens"},                   // xAI
	{providers.Overflow, "prompt token count of {input} exceeds the limit of {window}"},                                 // Copilot
	{providers.Overflow, "request ({input} tokens) exceeds the available context size ({window} tokens)"},               // llama.cpp
	{providers.Overflow, "exceeds the available context size"},
	{providers.Overflow, "prompt (length {input}) is longer than the maximum model length of {window}"},        // vLLM
	{providers.Overflow, "input length ({input}) exceeds model's maximum context length ({window})"},           // SGLang
	{providers.Overflow, "input length ({input} tokens) exceeds the maximum allowed length ({window} tokens)"}, // SGLang
	{providers.Overflow, "input length {input} exceeds the maximum allowed input length of {window} tokens"},   // Together
	{providers.Overflow, "prompt has {input} tokens, but the configured context size is {window} tokens"},
	{providers.Overflow, "({input} tokens) is longer than the model's context length ({window} tokens)"}, // SGLang, Together
	{providers.Overflow, "exceeds the model's maximum context length of {window} tokens"},
	{providers.Overflow, "must have less than {window} tokens. given: {input}"},                      // TGI
	{providers.Overflow, "prompt too long; exceeded max context length"},                             // Ollama
	{providers.Overflow, "input length exceeds the context length"},                                  // Ollama
	{providers.Overflow, "greater than the context length"},                                          // LM Studio
	{providers.Overflow, "keep the first {input} tokens ... context length of only {window} tokens"}, // LM Studio
	{providers.Overflow, "context window exceeds limit"},                                             // MiniMax
	{providers.Overflow, "exceeded model token limit: {window} (requested: {input})"},                // Moonshot
	{providers.Overflow, "exceeded model token limit"},                                               //
	{providers.Overflow, "tokens in request more than max tokens allowed"},                           // z.ai
	{providers.Overflow, "prompt exceeds max length"},                                                // z.ai
	{providers.Overflow, "total length of all messages is too long"},                                 // Perplexity
	{providers.Overflow, "tokens in the prompt cannot exceed {window} - received {input}"},           // Cohere
	{providers.Overflow, "too many tokens: size limit exceeded by"},                                  // Cohere
	{providers.Overflow, "range of input length should be [{n}, {window}]"},                          // DashScope
	{providers.Overflow, "reduce the length of the messages"},                                        // Groq
	{providers.Overflow, "context_length_exceeded"},
	{providers.Overflow, "request body too large ... max size: {window} tokens"}, // GitHub Models

	// Bytes, or characters.
	{providers.TooLarge, "string too long. expected a string with maximum length {size}"}, // Responses
	{providers.TooLarge, "request exceeds the maximum size"},                              // Messages API
	{providers.TooLarge, "request exceeds the maximum allowed number of bytes"},           // Messages API
	{providers.TooLarge, "request payload size exceeds the limit"},                        // Gemini
	{providers.TooLarge, "exceeded limit on max bytes to request body"},                   // DashScope
	{providers.TooLarge, "request body too large"},
	{providers.TooLarge, "request entity too large"},
	{providers.TooLarge, "payload too large"},
}
