package classify

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// ofName is what an error's type and code say: the type, unless it is one of
// those that say nothing and the code says more.
func ofName(typ, code string) providers.Class {
	t, known := names[strings.ToLower(typ)]
	if c, ok := names[strings.ToLower(code)]; ok && (!known || t == providers.Invalid || t == providers.Server) {
		return c
	}
	if !known {
		return providers.Unknown
	}
	return t
}

// names are the types and codes of errors, in lower case, with the APIs that
// send them. Where several APIs use one name, they mean the same.
var names = map[string]providers.Class{
	// Messages API
	"overloaded_error":      providers.Overloaded,
	"api_error":             providers.Server,
	"rate_limit_error":      providers.RateLimited,
	"timeout_error":         providers.Timeout,
	"request_too_large":     providers.TooLarge,
	"authentication_error":  providers.Auth,
	"permission_error":      providers.Auth,
	"billing_error":         providers.Auth,
	"invalid_request_error": providers.Invalid,
	"not_found_error":       providers.Invalid,

	// Chat and Responses, and those that imitate them
	"context_length_exceeded": providers.Overflow,
	"string_above_max_length": providers.Invalid, // of which string, its sentence says
	"server_error":            providers.Server,
	"internal_error":          providers.Server,
	"server_overloaded":       providers.Overloaded,
	"engine_overloaded_error": providers.Overloaded, // Moonshot
	"rate_limit_exceeded":     providers.RateLimited,
	"rate_limit_reached":      providers.RateLimited,
	"insufficient_quota":      providers.Auth,
	"invalid_api_key":         providers.Auth,
	"model_not_found":         providers.Invalid,

	// The same failure under other names
	"context_window_exceeded":          providers.Overflow,
	"contextwindowexceedederror":       providers.Overflow, // LiteLLM
	"exceed_context_size_error":        providers.Overflow, // llama.cpp
	"too_many_prompt_tokens":           providers.Overflow, // Perplexity
	"model_max_prompt_tokens_exceeded": providers.Overflow, // Copilot
	"tokens_limit_reached":             providers.Overflow, // GitHub Models
	"model_context_window_exceeded":    providers.Overflow, // z.ai
	"payload_too_large":                providers.TooLarge,
	"request_entity_too_large":         providers.TooLarge,
	"throttlingexception":              providers.RateLimited, // Bedrock, from here
	"servicequotaexceededexception":    providers.RateLimited,
	"validationexception":              providers.Invalid,
	"modelerrorexception":              providers.Server,
	"modelstreamerrorexception":        providers.Server,
	"modeltimeoutexception":            providers.Timeout,
	"internalserverexception":          providers.Server,
	"serviceunavailableexception":      providers.Overloaded,
	"modelnotreadyexception":           providers.Overloaded,
	"accessdeniedexception":            providers.Auth,
	"resourcenotfoundexception":        providers.Invalid,
	"invalid_argument":                 providers.Invalid, // Gemini, from here
	"failed_precondition":              providers.Invalid,
	"not_found":                        providers.Invalid,
	"resource_exhausted":               providers.RateLimited,
	"unavailable":                      providers.Overloaded,
	"internal":                         providers.Server,
	"deadline_exceeded":                providers.Timeout,
	"unauthenticated":                  providers.Auth,
	"permission_denied":                providers.Auth,
	"api_key_invalid":                  providers.Auth, // the reason of an INVALID_ARGUMENT

	// Images: Responses, and OpenRouter's own
	"invalid_image":                  providers.BadImage,
	"invalid_image_format":           providers.BadImage,
	"invalid_base64_image":           providers.BadImage,
	"invalid_image_url":              providers.BadImage,
	"invalid_image_mode":             providers.BadImage,
	"image_too_large":                providers.BadImage,
	"image_too_small":                providers.BadImage,
	"image_parse_error":              providers.BadImage,
	"image_file_too_large":           providers.BadImage,
	"image_file_not_found":           providers.BadImage,
	"image_content_policy_violation": providers.BadImage,
	"unsupported_image_media_type":   providers.BadImage,
	"empty_image_file":               providers.BadImage,
	"failed_to_download_image":       providers.BadImage,
}
